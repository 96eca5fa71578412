-- Which versions of the program made what a run's cells have, and when. A cell that two of them have
-- made is counted at both; its newest score counts.
--
--   :run  key of a run; NULL: every run
WITH version AS MATERIALIZED (
  SELECT key, substr(rest, 1, instr(rest, char(10)) - 1) AS conoscope
  FROM (SELECT key, substr(text, instr(text, char(10) || 'conoscope: ') + 12) AS rest
        FROM environment WHERE instr(text, char(10) || 'conoscope: ') > 0))
SELECT run.name AS run, version.conoscope, count(DISTINCT made.cell) AS cells,
       min(made.started_at) AS first, max(made.started_at) AS last, run.key AS key
FROM run_cell
JOIN run ON run.key = run_cell.run
JOIN valid_attempt AS made ON made.cell = run_cell.cell AND made.status IN ('ok', 'not_applicable')
LEFT JOIN version ON version.key = made.environment
WHERE :run IS NULL OR run.key = :run
GROUP BY run.key, version.conoscope
ORDER BY run.created_at, run.key, first, version.conoscope;
