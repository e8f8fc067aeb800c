package fingerprint_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"recoup/models/fingerprint"
)

func TestNormalise(t *testing.T) {
	for message, want := range map[string]string{
		"":                           "",
		"The codec is not supported": "The codec is not supported",
		"  two\t blanks \n one ":     "two blanks one",
		"timed out after 30 s":       "timed out after <number> s",
		"timed out after 30000ms":    "timed out after <number>ms",
		"read 12.5 of 1,024.25 MB":   "read <number> of <number> MB",
		"dial tcp 10.0.0.17:5432: connection refused":          "dial tcp <number>: connection refused",
		"worker gpu-osaka-14 vanished":                         "worker gpu-osaka-<number> vanished",
		"job 4bf92f35-77b3-4da6-a3ce-929d0e0e4736 failed":      "job <uuid> failed",
		"at 0x7ffe12ab in frame 9007199254740993":              "at <hex> in frame <number>",
		"object d41d8cd98f00b204e9800998ecf8427e is gone":      "object <hex> is gone",
		"request req_8Fz3kQ91xY was throttled":                 "request <id> was throttled",
		`no such file: "cut 7.mov"`:                            "no such file: <text>",
		"no such file: 'cut 7.mov' in store":                   "no such file: <text> in store",
		"can't open the decoder, won't try":                    "can't open the decoder, won't try",
		"open /srv/media/hoshino/cut-7.mov: permission denied": "open <path>: permission denied",
		`open C:\media\cut-7.mov failed`:                       "open <path> failed",
		"GET https://store.example/a/b?sig=9f2 gave 503":       "GET <url> gave <number>",
		"s3://bucket/key-12 is not readable":                   "<url> is not readable",
		"expired at 2026-11-30T18:12:01.123Z":                  "expired at <time>",
		"expired at 2026-11-30 18:12:01 +09:00, sorry":         "expired at <time>, sorry",
		"since 18:12:01 nothing came":                          "since <time> nothing came",
		"コーデック「av1-12」は未対応です（コード12）":                           "コーデック<text>は未対応です（コード<number>）",
		"empty \"\" stays":                                     "empty \"\" stays",
		// What stands behind a number is read again once the number is gone.
		"7/a/b":            "<number><path>",
		"0a://b":           "<number>a:/<path>",
		"0'a'":             "<number><text>",
		"read/write error": "read/write error",
		"frames 9007199254740993 and 9007199254740992 of 00000000000000001": "frames <number> and <number> of <number>",
	} {
		if got := fingerprint.Normalise(message); got != want {
			t.Errorf("%q:\n got %q\nwant %q", message, got, want)
		}
	}
}

// TestFingerprintSeparates: each of the four parts makes another group, and nothing but them does.
func TestFingerprintSeparates(t *testing.T) {
	base := fingerprint.Failure{Action: "video_render", Dependency: "gpu", Code: "codec", Message: "frame 17 is broken"}
	same := base
	same.Message = "frame 40211 is broken"
	if base.ID() != same.ID() {
		t.Errorf("%s and %s for the same failure", base.ID(), same.ID())
	}
	if !strings.HasPrefix(base.ID(), "2-") || len(base.ID()) != 34 {
		t.Errorf("%s does not look like 2-d4…", base.ID())
	}
	seen := map[string]fingerprint.Failure{base.ID(): base}
	for _, other := range []fingerprint.Failure{
		{Action: "video_upscale", Dependency: "gpu", Code: "codec", Message: "frame 17 is broken"},
		{Action: "video_render", Dependency: "cpu", Code: "codec", Message: "frame 17 is broken"},
		{Action: "video_render", Dependency: "gpu", Code: "frame", Message: "frame 17 is broken"},
		{Action: "video_render", Dependency: "gpu", Code: "codec", Message: "frame 17 is missing"},
		// The parts are not run together.
		{Action: "video_rendercodec", Dependency: "gpu", Message: "frame 17 is broken"},
	} {
		if before, there := seen[other.ID()]; there {
			t.Errorf("%+v and %+v have one fingerprint", before, other)
		}
		seen[other.ID()] = other
	}
}

// TestFingerprintIsStable pins version 2: stored rows and groups were made with it.
func TestFingerprintIsStable(t *testing.T) {
	f := fingerprint.Failure{Action: "video_render", Dependency: "gpu-pool", Code: "lease_over", Message: "The worker was silent for longer than its lease."}
	if got, want := f.ID(), "2-7eb1413c31bcb338cc88b8df45237ec4"; got != want {
		t.Errorf("%s, want %s: a changed rule needs a new Version", got, want)
	}
}

func TestNormaliseProperties(t *testing.T) {
	words := []string{"frame", "of", "timed out", "“gone”", "“", "'", `"`, "`", "/a/b", "https://x.y/z", "\t", "é", "コード", "-", ":", "x.", "0x1f", "\xff"}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(words), rapid.StringMatching(`[0-9]{1,20}`), rapid.String()), 0, 12).Draw(t, "parts")
		message := strings.Join(parts, " ")
		once := fingerprint.Normalise(message)
		if again := fingerprint.Normalise(once); again != once {
			t.Fatalf("%q becomes %q, and that %q", message, once, again)
		}
		if !utf8.ValidString(once) || utf8.RuneCountInString(once) > 300 {
			t.Fatalf("%q: not valid or too long", once)
		}
		for _, r := range once {
			if r >= '0' && r <= '9' || unicode.IsSpace(r) && r != ' ' {
				t.Fatalf("%q still varies: %q", once, r)
			}
		}
	})
}

// TestNumbersDoNotMatter: whatever number stands in a place, the message is the same.
func TestNumbersDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.StringMatching(`[0-9]{1,19}`)
		say := func(a, b string) string { return "frame " + a + " of clip-" + b + " is broken (code " + a + ")" }
		one := fingerprint.Normalise(say(n.Draw(t, "a"), n.Draw(t, "b")))
		two := fingerprint.Normalise(say(n.Draw(t, "c"), n.Draw(t, "d")))
		if one != two {
			t.Fatalf("%q and %q", one, two)
		}
	})
}
