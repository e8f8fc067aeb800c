-- References of files of grants: each is granted to one account, whatever the file. And what one requester gave an
-- account of late, found without reading the account's history.

-- +goose Up
CREATE TABLE bulk_grant_references (
    reference   text COLLATE "C" PRIMARY KEY CHECK (reference <> ''),
    account_key bigint NOT NULL REFERENCES accounts (key),
    -- The first file that granted it, or found it granted.
    bulk_key    bigint NOT NULL REFERENCES bulk_grants (key)
);

-- What files granted before there was this table. Where two files gave one reference to two accounts the first keeps it.
INSERT INTO bulk_grant_references (reference, account_key, bulk_key)
SELECT DISTINCT ON (l.reference) l.reference, a.key, b.key
FROM bulk_grants b
CROSS JOIN LATERAL json_to_recordset(b.lines::json) AS l (reference text, account text)
JOIN accounts a ON a.id = l.account
JOIN operations o ON o.account_key = a.key AND o.scope = '' AND o.id = l.reference AND o.kind = 'grant' AND o.result IS NOT NULL
WHERE b.applied_at IS NOT NULL
ORDER BY l.reference, b.applied_at, b.key;

CREATE TRIGGER bulk_grant_references_keep_row BEFORE UPDATE OR DELETE ON bulk_grant_references FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bulk_grant_references_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON bulk_grant_references FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE bulk_grant_references ENABLE ALWAYS TRIGGER bulk_grant_references_keep_row;
ALTER TABLE bulk_grant_references ENABLE ALWAYS TRIGGER bulk_grant_references_keep;

-- The line that kept a file from being applied and the code of its problem, so that a page can say it in the words of
-- whoever reads.
ALTER TABLE bulk_grants
    ADD COLUMN failed_line integer,
    ADD COLUMN failed_problem text,
    ADD COLUMN failed_value text,
    ADD CONSTRAINT bulk_grants_failed CHECK ((failed_line IS NULL) = (failed_problem IS NULL) AND (failed_line IS NULL) = (failed_value IS NULL));

CREATE INDEX entries_given ON entries (account_key, actor, created_at) WHERE type IN ('grant', 'adjustment');

-- +goose Down
DROP INDEX entries_given;
ALTER TABLE bulk_grants DROP COLUMN failed_line, DROP COLUMN failed_problem, DROP COLUMN failed_value;
DROP TABLE bulk_grant_references;
