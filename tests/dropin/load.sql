-- A load of inserts, updates, joins, an index, sorts that spill, and a vacuum.
.bail on
PRAGMA journal_mode = MEMORY;
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, city TEXT, born INTEGER, note TEXT);
CREATE TABLE visit(person INTEGER, day INTEGER, amount REAL);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO person SELECT i, 'name ' || (i * 7919 % 20011), 'city ' || (i % 97),
  1900 + i % 120, printf('%.*c', i % 300, 'x') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
INSERT INTO visit SELECT i * 31 % 20000 + 1, i % 365, (i * 17 % 1000) / 10.0 FROM n;
COMMIT;
CREATE INDEX by_name ON person(name);
CREATE INDEX by_person ON visit(person, day);
SELECT count(*), sum(length(note)) FROM person;
SELECT city, count(*), round(sum(amount), 1) FROM person JOIN visit ON person = id
  GROUP BY city ORDER BY 3 DESC, 1 LIMIT 5;
UPDATE person SET note = upper(note) || name WHERE id % 3 = 0;
DELETE FROM visit WHERE day BETWEEN 100 AND 200;
SELECT name FROM person ORDER BY note DESC, name LIMIT 3;
SELECT length(group_concat(name, ',')) FROM person;
SELECT count(*) FROM (SELECT DISTINCT a.city, b.born FROM person a JOIN person b
  ON a.id = b.id + 1);
VACUUM;
SELECT count(*), round(avg(amount), 3) FROM visit;
