-- workloads.sql - a table filled in transactions, searched and dropped, in a file.
DROP TABLE IF EXISTS t;
CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER, c TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO t SELECT i, i * 7919 % 1009, 'the quick brown fox ' || i FROM n;
CREATE INDEX t_b ON t (b);
UPDATE t SET c = c || '!' WHERE b % 3 = 0;
DELETE FROM t WHERE b % 5 = 0;
SELECT count(*), sum(b), max(c) FROM t WHERE b BETWEEN 100 AND 900;
