// Recoup is the system of record for credits that platforms charge up front for media work: an
// append-only ledger with guarded refunds and reclaims, operations that have one effect however
// often they are sent, retries with a dead-letter list, and a console to explain all of it.
package main

import (
	"os"

	"recoup/web/cmd"
)

func main() { os.Exit(cmd.Run(os.Args[1:], os.Stdout, os.Stderr)) }
