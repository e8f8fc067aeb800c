// Package text holds every word the console shows, in English and Japanese, and the formatters for amounts,
// times, durations and ids.
//
// A handler builds one Locale for the person who asks and uses it for everything on the page:
//
//	l := text.Locale{Lang: text.LangOf(person.Language), Zone: zone}
//	l.T("accounts.title")                 // a phrase; keys are checked by a test
//	l.T("error.request", id)              // {1} in the phrase is the first argument
//	                                      // {1|job|jobs} is the word that goes with the number in {1}
//	l.N("count.entries", 1284)            // "1,284 entries"; picks the key's .one or .other
//	l.Credits(-40), l.Signed(40)          // "−40", "+40"
//	l.Stamp(entry.CreatedAt, now)         // one instant in all the ways a page may show it
//
// Both languages of a phrase stand side by side in the catalogue files (words.go, shell.go, …), so a phrase
// cannot exist in one language only. The package imports nothing of this program.
package text

import (
	"strconv"
	"strings"
	"time"
)

// Lang is a language of the console.
type Lang string

// The languages of the console.
const (
	English  Lang = "en"
	Japanese Lang = "ja"
)

// LangOf returns the language of a stored preference, English for anything unknown or empty.
func LangOf(s string) Lang {
	if Lang(s) == Japanese {
		return Japanese
	}
	return English
}

// Locale says in which language and time zone a person reads. The zero value is English and UTC.
type Locale struct {
	Lang Lang
	// Zone is the person's own zone; every time on a page is shown in it. Nil means UTC.
	Zone *time.Location
}

// Code returns the value of the lang attribute: "en" or "ja".
func (l Locale) Code() string { return string(LangOf(string(l.Lang))) }

// Other returns the language that the switch in the top bar leads to.
func (l Locale) Other() Lang {
	if l.Lang == Japanese {
		return English
	}
	return Japanese
}

// T returns the phrase for a key with {1}, {2} … replaced by args. A key that no catalogue file has gives
// the key in ⟦brackets⟧, which the tests look for.
func (l Locale) T(key string, args ...string) string {
	s := l.words(key)
	if s == "" {
		return "⟦" + key + "⟧"
	}
	if len(args) == 0 {
		return s
	}
	return fill(s, args)
}

// fill puts args in the places of {1}, {2} …, and where a word goes with one of them, {1|job|jobs}, the one that its number asks for. A place for which
// there is no argument stays as it is.
func fill(s string, args []string) string {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(s, "{")
		place, after, closed := strings.Cut(rest, "}")
		if !open || !closed {
			break
		}
		b.WriteString(before)
		name, words, chosen := strings.Cut(place, "|")
		one, others, both := strings.Cut(words, "|")
		n, err := strconv.Atoi(name)
		known := err == nil && n >= 1 && n <= len(args)
		switch {
		case chosen && both && known && isOne(args[n-1]):
			b.WriteString(one)
		case chosen && both && err == nil:
			b.WriteString(others)
		case !chosen && known:
			b.WriteString(Isolate(args[n-1]))
		default:
			b.WriteByte('{')
			s = rest
			continue
		}
		s = after
	}
	b.WriteString(s)
	return b.String()
}

// isOne reports whether a number in words of a page is exactly one, whatever its sign.
func isOne(number string) bool { return strings.TrimLeft(number, "+-"+Minus) == "1" }

// Unit is the name of what is counted, as an action has it, beside a number of them: "second" and 60 give "seconds" in
// English and the common ones are 秒, 分 and so on in Japanese. A name that is no word of small letters, or an
// abbreviation, stays as it is.
func (l Locale) Unit(name string, n int64) string {
	if l.Lang == Japanese {
		return japaneseUnit(name)
	}
	if n == 1 || n == -1 || len(name) < 4 || strings.ContainsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return name
	}
	switch last := name[len(name)-1]; {
	case last == 's':
		return name
	case last == 'x' || last == 'z' || strings.HasSuffix(name, "ch") || strings.HasSuffix(name, "sh"):
		return name + "es"
	case last == 'y' && !strings.ContainsRune("aeiou", rune(name[len(name)-2])):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}

// japaneseUnit is the usual word for what media work is counted in; any other name stays as the action has it.
func japaneseUnit(name string) string {
	switch name {
	case "second":
		return "秒"
	case "minute":
		return "分"
	case "hour":
		return "時間"
	case "image":
		return "画像"
	case "frame":
		return "フレーム"
	case "page":
		return "ページ"
	case "character":
		return "文字"
	case "word":
		return "単語"
	}
	return name
}

// N returns the phrase key+".one" for exactly 1 and key+".other" for all other counts. {1} is the count
// with thousands separators; args follow from {2}.
func (l Locale) N(key string, n int64, args ...string) string {
	form := ".other"
	if n == 1 {
		form = ".one"
	}
	return l.T(key+form, append([]string{l.Credits(n)}, args...)...)
}

// Maybe is T for words that come from outside the catalogue, such as an error class or an action that a
// newer release may add: an unknown key gives fallback.
func (l Locale) Maybe(key, fallback string) string {
	if s := l.words(key); s != "" {
		return s
	}
	return fallback
}

// words is the phrase for a key as it stands in the catalogue, "" where no file has it.
func (l Locale) words(key string) string {
	en, ja := phrase(key)
	if l.Lang == Japanese {
		return ja
	}
	return en
}

// phrase looks a key up in the catalogue files, one after the other; those first that rows of tables ask.
func phrase(key string) (en, ja string) {
	for _, file := range [...]func(string) (string, string){
		words,
		shell,
		money,
		answers,
		auditlog,
		auditactions,
		auditFields,
		approvals,
		bulkgrants,
		comparisons,
		enrolments,
		problems,
		bulkworks,
		costs,
		costLines,
		dependencies,
		exports,
		finance,
		held,
		forms,
		integrity,
		months,
		people,
		pricing,
		queue,
		refusals,
		rollouts,
		rolloutSay,
		rolloutSteps,
		settlements,
		triage,
		webhooks,
		work,
	} {
		if en, ja = file(key); en != "" {
			return en, ja
		}
	}
	return "", ""
}
