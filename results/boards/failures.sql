-- Each asked cell that is not complete, with what its newest failed attempt says.
--
-- A cell may have a good attempt and still be incomplete: a metric that was asked for later has no
-- score yet. When the attempt at that failed, it is shown too.
--
--   :run  key of a run; NULL: every run, but of those with one name only the last that was at work:
--         what an edited run file no longer asks for is no failure of it
WITH named_run AS (
  SELECT key, row_number() OVER (
    PARTITION BY name
    ORDER BY max(created_at, coalesce((SELECT max(started_at) FROM attempt
                                       WHERE attempt.run = run.key), '')) DESC, key) AS place
  FROM run),
incomplete AS (
  SELECT state.run, state.cell,
         CASE
           WHEN state.state <> 'unscored' THEN state.attempt
           ELSE (SELECT later.id FROM attempt AS later
                 JOIN attempt AS good ON good.id = state.attempt
                 WHERE later.cell = state.cell
                   AND later.status NOT IN ('ok', 'not_applicable', 'interrupted')
                   AND (later.started_at, later.id) > (good.started_at, good.id)
                   AND NOT EXISTS (SELECT 1 FROM retraction WHERE retraction.attempt = later.id)
                 ORDER BY later.started_at DESC, later.id DESC
                 LIMIT 1)
         END AS attempt
  FROM cell_state AS state
  WHERE state.state NOT IN ('ok', 'not_applicable')
)
SELECT run.name AS run, coalesce(dn.name, d.name) AS dataset, coalesce(mn.name, m.name) AS model,
       coalesce(en.name, e.name) AS explainer,
       cell.control, cell.seed, a.status, a.stage, a.signal, a.exit_code, a.message,
       cell.key AS cell
FROM incomplete
JOIN run ON run.key = incomplete.run
JOIN cell ON cell.key = incomplete.cell
JOIN component AS d ON d.key = cell.dataset
JOIN component AS m ON m.key = cell.model
LEFT JOIN component AS e ON e.key = cell.explainer
LEFT JOIN run_component AS dn ON dn.run = run.key AND dn.component = d.key
LEFT JOIN run_component AS mn ON mn.run = run.key AND mn.component = m.key
LEFT JOIN run_component AS en ON en.run = run.key AND en.component = e.key
JOIN attempt AS a ON a.id = incomplete.attempt
WHERE run.key = :run
   OR (:run IS NULL AND run.key IN (SELECT key FROM named_run WHERE place = 1))
ORDER BY run.created_at, run.key, dataset, model, explainer, cell.control, cell.seed, cell.key;
