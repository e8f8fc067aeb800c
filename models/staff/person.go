package staff

import (
	"context"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/fault"
)

// Person is a member of the staff.
type Person struct {
	ID    string
	Email string
	Name  string
	Role  Role
	// HasPassword is false for someone who can sign in by link only.
	HasPassword bool
	Preferences
	// DisabledAt is nil while the person may sign in.
	DisabledAt *time.Time
	CreatedAt  time.Time
}

// Actor is the name under which the person's changes are kept.
func (p Person) Actor() actor.Actor { return actor.Staff(p.ID) }

// Allows reports whether the person's role has the permission. A disabled person has none.
func (p Person) Allows(want Permission) bool { return p.DisabledAt == nil && Allows(p.Role, want) }

// Preferences are how a person wants the console to look.
type Preferences struct {
	// Language is "en" or "ja".
	Language string `json:"language"`
	// TimeZone is an IANA name, e.g. "Asia/Tokyo".
	TimeZone string `json:"time_zone"`
	// Theme is "light", "dark" or "" to follow the system.
	Theme string `json:"theme"`
}

func (p Preferences) check() []fault.Field {
	var bad []fault.Field
	if p.Language != "en" && p.Language != "ja" {
		bad = append(bad, fault.Field{Name: "language", Message: "must be en or ja"})
	}
	// LoadLocation takes "" and "Local" too: neither names a zone that is the same everywhere.
	if _, err := time.LoadLocation(p.TimeZone); err != nil || p.TimeZone == "" || p.TimeZone == "Local" {
		bad = append(bad, fault.Field{Name: "time_zone", Message: "must be the IANA name of a time zone, such as Asia/Tokyo"})
	}
	if p.Theme != "" && p.Theme != "light" && p.Theme != "dark" {
		bad = append(bad, fault.Field{Name: "theme", Message: "must be light, dark or empty"})
	}
	return bad
}

// personColumns must stay in step with personRow.
const personColumns = `staff.id, staff.email, staff.name, staff.role, staff.password_hash, staff.language,
	staff.time_zone, staff.theme, staff.disabled_at, staff.created_at`

type personRow struct {
	ID, Email, Name, Role, PasswordHash string
	Language, TimeZone, Theme           string
	DisabledAt                          *time.Time
	CreatedAt                           time.Time
}

func (r personRow) person() Person {
	return Person{
		ID: r.ID, Email: r.Email, Name: r.Name, Role: Role(r.Role), HasPassword: r.PasswordHash != "",
		Preferences: Preferences{Language: r.Language, TimeZone: r.TimeZone, Theme: r.Theme},
		DisabledAt:  r.DisabledAt, CreatedAt: r.CreatedAt,
	}
}

// NewPerson is the input of CreateStaff.
type NewPerson struct {
	// Email must be plain ASCII; its case is kept and never told apart.
	Email string
	Name  string
	Role  Role
	// Password may be empty: the person then needs a sign-in link.
	Password string
	// Preferences: an empty language means "en", an empty time zone "UTC".
	Preferences
}

// CreateStaff adds a person. Faults: Invalid (email, name, role, password, language, time_zone,
// theme), Conflict email_taken, Busy when too many passwords are being hashed.
func (s *Service) CreateStaff(ctx context.Context, by By, n NewPerson) (Person, error) {
	if n.Language == "" {
		n.Language = "en"
	}
	if n.TimeZone == "" {
		n.TimeZone = "UTC"
	}
	bad := n.Preferences.check()
	if msg := checkEmail(n.Email); msg != "" {
		bad = append(bad, fault.Field{Name: "email", Message: msg})
	}
	if msg := checkName(n.Name); msg != "" {
		bad = append(bad, fault.Field{Name: "name", Message: msg})
	}
	if !slices.Contains(Roles(), n.Role) {
		bad = append(bad, roleField())
	}
	if n.Password != "" {
		if msg := checkPassword(n.Password, n.Email); msg != "" {
			bad = append(bad, fault.Field{Name: "password", Message: msg})
		}
	}
	if len(bad) > 0 {
		return Person{}, fault.InvalidFields(bad...)
	}
	hash := ""
	if n.Password != "" {
		// Before the transaction: it takes long, and a connection is not to wait for it.
		var err error
		if hash, err = s.hasher.hash(ctx, n.Password); err != nil {
			return Person{}, err
		}
	}

	var row personRow
	err := db.InTx(ctx, s.db, func(tx *gorm.DB) error {
		err := tx.Raw(`INSERT INTO staff (id, email, name, role, password_hash, language, time_zone, theme)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING `+personColumns,
			"st_"+randomName(), n.Email, n.Name, string(n.Role), hash, n.Language, n.TimeZone, n.Theme).Scan(&row).Error
		if db.Constraint(err) == "staff_email" {
			f := fault.New(fault.Conflict, CodeEmailTaken, "Somebody with this email address exists already.")
			f.Fields = []fault.Field{{Name: "email", Message: "belongs to somebody already"}}
			return f
		}
		if err != nil {
			return fmt.Errorf("staff: create: %w", err)
		}
		return by.record(ctx, tx, audit.Row{Action: ActionCreate, Object: object(row.ID), After: map[string]any{
			"email": row.Email, "name": row.Name, "role": row.Role, "password": hash != "",
		}})
	})
	if err != nil {
		return Person{}, err
	}
	return row.person(), nil
}

// ByID returns one person, disabled or not. Fault: NotFound.
func (s *Service) ByID(ctx context.Context, id string) (Person, error) {
	row, err := find(ctx, s.db, `staff.id = ?`, id)
	if err != nil {
		return Person{}, err
	}
	return row.person(), nil
}

// ByEmail returns one person, disabled or not, whatever the case of the letters. Fault: NotFound.
func (s *Service) ByEmail(ctx context.Context, email string) (Person, error) {
	row, err := find(ctx, s.db, `lower(staff.email) = ?`, foldEmail(email))
	if err != nil {
		return Person{}, err
	}
	return row.person(), nil
}

// find reads one row by a condition of this package. Fault: NotFound.
func find(ctx context.Context, g *gorm.DB, where string, arg string) (personRow, error) {
	var row personRow
	if !storable(arg) { // PostgreSQL would raise an error where the answer is "none"
		return row, notFound()
	}
	r := g.WithContext(ctx).Raw(`SELECT `+personColumns+` FROM staff WHERE `+where, arg).Scan(&row)
	if r.Error != nil {
		return row, fmt.Errorf("staff: read: %w", r.Error)
	}
	if r.RowsAffected == 0 {
		return row, notFound()
	}
	return row, nil
}

// List returns everybody, the disabled included, by name. A staff is small: there are no pages.
func (s *Service) List(ctx context.Context) ([]Person, error) {
	var rows []personRow
	err := s.db.WithContext(ctx).Raw(`SELECT ` + personColumns + ` FROM staff ORDER BY lower(name), id`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("staff: list: %w", err)
	}
	people := make([]Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, nil
}

// UpdatePreferences replaces a person's preferences. Faults: Invalid (language, time_zone, theme),
// NotFound.
func (s *Service) UpdatePreferences(ctx context.Context, by By, id string, p Preferences) error {
	if bad := p.check(); len(bad) > 0 {
		return fault.InvalidFields(bad...)
	}
	return s.change(ctx, id, func(tx *gorm.DB, was personRow) error {
		if was.person().Preferences == p {
			return nil // nothing was changed, and nothing is to be told of
		}
		err := tx.Exec(`UPDATE staff SET language = ?, time_zone = ?, theme = ? WHERE id = ?`,
			p.Language, p.TimeZone, p.Theme, id).Error
		if err != nil {
			return fmt.Errorf("staff: preferences: %w", err)
		}
		return by.record(ctx, tx, audit.Row{Action: ActionPreferences, Object: object(id), Before: was.person().Preferences, After: p})
	})
}

// SetRole gives a person another role; it holds from the person's next request on. Faults: Invalid
// (role), NotFound, Conflict when this is the last admin who can sign in.
func (s *Service) SetRole(ctx context.Context, by By, id string, role Role, reason string) error {
	if !slices.Contains(Roles(), role) {
		return fault.InvalidFields(roleField())
	}
	return s.changeAfter(ctx, id, lockAdmins, func(tx *gorm.DB, was personRow) error {
		if role != Admin {
			if err := keepAnAdmin(tx, was); err != nil {
				return err
			}
		}
		if err := tx.Exec(`UPDATE staff SET role = ? WHERE id = ?`, string(role), id).Error; err != nil {
			return fmt.Errorf("staff: role: %w", err)
		}
		return by.record(ctx, tx, audit.Row{Action: ActionRole, Object: object(id), Reason: reason,
			Before: map[string]any{"role": was.Role}, After: map[string]any{"role": string(role)}})
	})
}

// Disable ends a person's sessions and links and lets the person in no more. The row stays:
// entries and audit rows name it. Faults: NotFound, Conflict when the person is disabled already
// or is the last admin who can sign in.
func (s *Service) Disable(ctx context.Context, by By, id, reason string) error {
	return s.changeAfter(ctx, id, lockAdmins, func(tx *gorm.DB, was personRow) error {
		if was.DisabledAt != nil {
			return fault.State("disabled", "This person is disabled already.")
		}
		if err := keepAnAdmin(tx, was); err != nil {
			return err
		}
		if err := tx.Exec(`UPDATE staff SET disabled_at = clock_timestamp() WHERE id = ?`, id).Error; err != nil {
			return fmt.Errorf("staff: disable: %w", err)
		}
		if err := lockOut(tx, id, ""); err != nil {
			return err
		}
		return by.record(ctx, tx, audit.Row{Action: ActionDisable, Object: object(id), Reason: reason})
	})
}

// Enable lets a disabled person in again, with the old password. Faults: NotFound, Conflict when
// the person is not disabled.
func (s *Service) Enable(ctx context.Context, by By, id, reason string) error {
	return s.change(ctx, id, func(tx *gorm.DB, was personRow) error {
		if was.DisabledAt == nil {
			return fault.State("enabled", "This person is not disabled.")
		}
		if err := tx.Exec(`UPDATE staff SET disabled_at = NULL WHERE id = ?`, id).Error; err != nil {
			return fmt.Errorf("staff: enable: %w", err)
		}
		return by.record(ctx, tx, audit.Row{Action: ActionEnable, Object: object(id), Reason: reason})
	})
}

// change runs fn in a transaction that holds the person's row, or faults NotFound.
func (s *Service) change(ctx context.Context, id string, fn func(tx *gorm.DB, was personRow) error) error {
	return s.changeAfter(ctx, id, func(*gorm.DB) error { return nil }, fn)
}

// changeAfter is change with another lock before the one on the person's row.
func (s *Service) changeAfter(ctx context.Context, id string, lock func(tx *gorm.DB) error, fn func(tx *gorm.DB, was personRow) error) error {
	return db.InTx(ctx, s.db, func(tx *gorm.DB) error {
		if err := lock(tx); err != nil {
			return err
		}
		was, err := find(ctx, tx, `staff.id = ? FOR NO KEY UPDATE`, id)
		if err != nil {
			return err
		}
		return fn(tx, was)
	})
}

// keepAnAdmin refuses when was is the only admin who is not disabled. The caller has taken
// lockAdmins before the person's row.
func keepAnAdmin(tx *gorm.DB, was personRow) error {
	if Role(was.Role) != Admin || was.DisabledAt != nil {
		return nil
	}
	var others bool
	err := tx.Raw(`SELECT EXISTS (SELECT FROM staff WHERE role = 'admin' AND disabled_at IS NULL AND id <> ?)`, was.ID).Scan(&others).Error
	if err != nil {
		return fmt.Errorf("staff: read admins: %w", err)
	}
	if !others {
		return fault.State("last_admin", "This is the only admin. Make somebody else an admin first.")
	}
	return nil
}

// lockAdmins lets only one transaction at a time take rights away, so that two admins who remove
// each other at the same moment do not both succeed.
func lockAdmins(tx *gorm.DB) error {
	if err := tx.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('recoup.staff.admins', 0))`).Error; err != nil {
		return fmt.Errorf("staff: lock admins: %w", err)
	}
	return nil
}

// lockOut ends a person's sessions, but for the one of keepToken ("" for none), and unused links.
func lockOut(tx *gorm.DB, id, keepToken string) error {
	if err := tx.Exec(`DELETE FROM sessions WHERE staff_id = ? AND token_hash <> ?`, id, digest(keepToken)).Error; err != nil {
		return fmt.Errorf("staff: end sessions: %w", err)
	}
	if err := tx.Exec(`DELETE FROM sign_in_links WHERE staff_id = ? AND used_at IS NULL`, id).Error; err != nil {
		return fmt.Errorf("staff: end links: %w", err)
	}
	return nil
}

func object(id string) string { return "staff:" + id }

func notFound() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "There is no such person.")
}

func roleField() fault.Field {
	return fault.Field{Name: "role", Message: "must be viewer, finance, product, support, lead or admin"}
}

// foldEmail gives equal strings for equal addresses, as lower(email) does in the database.
func foldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

func checkEmail(email string) string {
	if len(email) > 254 {
		return "must have at most 254 characters"
	}
	for i := 0; i < len(email); i++ {
		if email[i] < '!' || email[i] > '~' {
			return "may hold only ASCII characters and no spaces"
		}
	}
	// ParseAddress also takes "Name <a@b>": the address alone must come back.
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email {
		return "must be an email address"
	}
	return ""
}

func checkName(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "may hold no control characters"
	}
	if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > 100 {
		return "must have 1 to 100 characters"
	}
	return ""
}

// storable reports whether PostgreSQL can take s as text.
func storable(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }
