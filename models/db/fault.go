package db

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"recoup/models/fault"
)

// The codes that our own triggers raise, and PostgreSQL's for a value that is taken.
const (
	codeChainBroken = "RC001"
	codeAppendOnly  = "RC002"
	codeUnique      = "23505"
)

// CodeCanceled is PostgreSQL's code of a statement that took longer than it may.
const CodeCanceled = "57014"

// Code returns PostgreSQL's five-character error code, or "" when err is not PostgreSQL's.
func Code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// Constraint returns the name of the constraint that err reports as violated, or "".
func Constraint(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.ConstraintName
	}
	return ""
}

// Fault turns the PostgreSQL errors that mean something to a caller into a fault and returns every
// other error as it is. nil stays nil.
func Fault(err error) error {
	if err == nil || fault.As(err) != nil {
		return err
	}
	switch Code(err) {
	case codeChainBroken:
		return Inconsistent()
	case codeUnique:
		// The head's writer holds the account's lock, so only a head that lags behind the entries gives
		// the same seq again.
		if Constraint(err) == "entries_pkey" {
			return Inconsistent()
		}
	case "22003":
		return fault.New(fault.Conflict, fault.CodeAmountOverflow,
			"The resulting balance does not fit a signed 64-bit number of credits. Nothing was written.")
	case "55P03", "40001", "40P01":
		f := fault.New(fault.Busy, fault.CodeBusy, "Others are changing the same rows. Nothing was written; try again.")
		f.RetryAfter = time.Second
		return f
	}
	if unreachable(err) {
		// It may have been lost on the way back: nobody knows whether the last statement was done.
		f := fault.New(fault.Busy, fault.CodeDatabaseUnavailable,
			"The database does not answer. The request may have been applied all the same: send it again under the same operation id to find out.")
		f.RetryAfter = time.Second
		return fmt.Errorf("%w (%w)", f, err)
	}
	return err
}

// unreachable reports whether err says that PostgreSQL is away, starting, stopping, or out of connections.
func unreachable(err error) bool {
	switch code := Code(err); {
	case strings.HasPrefix(code, "08"), code == "57P01", code == "57P02", code == "57P03", code == "53300":
		return true
	case code != "":
		return false
	}
	var connect *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// Inconsistent is the fault of an account whose head differs from its entries, or whose entries are not
// whole.
func Inconsistent() *fault.Error {
	return fault.New(fault.Conflict, fault.CodeAccountInconsistent,
		"The account's head differs from its entries, or an entry is missing. Nothing was written. Run `recoup verify`; "+
			"`recoup verify --rebuild-heads --reason …` puts a head right whose entries are whole.")
}
