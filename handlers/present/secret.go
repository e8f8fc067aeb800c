package present

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"recoup/models/job"
)

// secrets is what no page shows of a payload, not even to those who may see it.
func secrets() job.Secrets { return job.Secrets{Name: secret, Number: secretNumber, Text: secretText} }

// secretParts are parts of names whose values are secret, without what separates words.
func secretParts() []string {
	return []string{"token", "secret", "password", "passwd", "passphrase", "passcode", "authorization", "authheader", "apikey", "accesskey", "privatekey", "secretkey",
		"signingkey", "encryptionkey", "signature", "credential", "bearer", "cookie", "sessionid", "sessionkey", "connectionstring", "connstr", "パスワード", "暗証", "秘密", "認証", "署名", "トークン", "apiキー", "鍵"}
}

// secretWords are names, or words of names, that are too short to be looked for inside of others.
func secretWords() []string {
	return []string{"pwd", "pass", "jwt", "auth", "otp", "totp", "pin", "dsn", "sas", "sig", "sid", "csrf", "xsrf", "hmac"}
}

// secret tells whether a name sounds like that of a secret: privateKey, X-Api-Key, db_pwd.
func secret(name string) bool {
	words := wordsOf(name)
	whole := strings.Join(words, "")
	return slices.ContainsFunc(secretParts(), func(s string) bool { return strings.Contains(whole, s) }) ||
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords(), w) })
}

// secretNumber tells whether a name sounds like that of a secret that can be a number: a PIN, a one-time password. max_tokens,
// pass and the like count something.
func secretNumber(name string) bool {
	words := wordsOf(name)
	whole := strings.Join(words, "")
	return strings.HasSuffix(whole, "token") ||
		slices.ContainsFunc([]string{"passcode", "password", "passwd", "secret", "apikey", "パスワード", "暗証", "秘密"}, func(s string) bool { return strings.Contains(whole, s) }) ||
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains([]string{"pin", "otp", "totp", "pwd"}, w) })
}

// wordsOf are the words of a name in lower case: apart by what is neither letter nor digit, and where a capital begins one.
func wordsOf(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	return strings.Fields(b.String())
}

var (
	// secretShape is a text that holds a secret by its shape: a scheme of HTTP authorization with its value, user:password@ or a key
	// alone before the @ of an address, a JWT, a private key, keys of AWS, Stripe, GitHub, GitLab, Slack and Google, a user of curl.
	secretShape = regexp.MustCompile(`(?i)\bbearer\s+[a-z0-9._~+/=-]{6,}|(?:^|[:=]\s*)(basic|digest|negotiate)\s+[a-z0-9._~+/=-]{6,}|://[^/\s@]+@|\beyJ[a-z0-9_-]{6,}\.[a-z0-9_-]{6,}|-----BEGIN [A-Z ]*PRIVATE KEY|\b(AKIA|ASIA)[0-9A-Z]{12,}|\b[srp]k_(live|test)_[0-9a-z]{6,}|\bgh[pousr]_[0-9a-z]{6,}|\bgithub_pat_\w{6,}|\bglpat-[\w-]{6,}|\bxox[abeoprs]-[\w-]{6,}|\bAIza[\w-]{12,}|hooks\.slack\.com/services/\w|\s-u\s+[^\s:]+:\S`)
	// assigned finds names with a value within a text: query parameters, headers, connection strings.
	assigned = regexp.MustCompile(`(?:^|[?&;,\s"'{])([\pL\pN_.-]+)["']?\s*[=:]\s*[^\s=:]`)
)

// secretText tells whether a text holds a secret, whatever its name: "Authorization: Bearer …", a signed address, a
// connection string.
func secretText(s string) bool {
	if secretShape.MatchString(s) {
		return true
	}
	return slices.ContainsFunc(assigned.FindAllStringSubmatch(s, -1), func(m []string) bool { return secret(m[1]) })
}
