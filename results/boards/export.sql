-- Canonical export: one row per asked (cell, metric), sorted, and nothing that depends on when, where,
-- in which order or after how many retries it was computed. Equal outcomes give equal bytes.
--
--   :run    key of a run; NULL: every run
--   :cells  JSON array of keys of cells; NULL: every cell
--
-- status: ok; not_scored (this metric has not been tried yet); not_tried (nor has the cell); else that of
-- the newest attempt that says why the score is not there, with its stage. message: what the metric says about its score; that of a failure stays out, because
-- it may carry addresses and file names. dataset_name, ...: what the run calls it; of every run: all of
-- the names that runs have for it.
WITH called AS MATERIALIZED (
  SELECT component.*,
         coalesce((SELECT group_concat(name, '; ') FROM (
                     SELECT DISTINCT name FROM run_component AS its
                     WHERE its.component = component.key AND (:run IS NULL OR run = :run)
                     ORDER BY name)), name) AS names
  FROM component),
wanted AS (
  SELECT value AS cell FROM json_each(:cells)
  UNION ALL
  SELECT key FROM cell WHERE :cells IS NULL),
asked AS (
  SELECT DISTINCT run_cell.cell, run_metric.metric
  FROM wanted
  CROSS JOIN run_cell ON run_cell.cell = wanted.cell
  JOIN run_metric ON run_metric.run = run_cell.run
  WHERE :run IS NULL OR run_cell.run = :run),
lacking AS (
  SELECT asked.cell, asked.metric,
         (SELECT fault.attempt FROM fault
          WHERE fault.cell = asked.cell AND fault.status <> 'interrupted'
            AND (fault.metric IS NULL OR fault.metric = asked.metric)
          ORDER BY fault.status = 'not_applicable' DESC, fault.number DESC, fault.attempt DESC
          LIMIT 1) AS attempt,
         EXISTS (SELECT 1 FROM valid_attempt AS good
                 WHERE good.cell = asked.cell AND good.status = 'ok') AS is_good
  FROM asked
  WHERE NOT EXISTS (SELECT 1 FROM current_score AS current
                    WHERE current.metric = asked.metric AND current.cell = asked.cell))
SELECT d.plugin_id || '@' || d.plugin_version AS dataset, d.params AS dataset_params,
       d.content AS dataset_content,
       m.plugin_id || '@' || m.plugin_version AS model, m.params AS model_params,
       e.plugin_id || '@' || e.plugin_version AS explainer, e.params AS explainer_params,
       cell.seed, cell.control,
       CASE WHEN current.cell IS NOT NULL THEN 'ok'
            WHEN told.id IS NOT NULL THEN told.status
            WHEN lacking.is_good THEN 'not_scored'
            ELSE 'not_tried' END AS status,
       CASE WHEN told.status <> 'not_applicable' THEN told.stage END AS stage,
       asked.metric, current.value, current.reason, nullif(score.message, '') AS message,
       d.names AS dataset_name, m.names AS model_name, e.names AS explainer_name,
       cell.key AS cell
FROM asked
JOIN cell ON cell.key = asked.cell
JOIN called AS d ON d.key = cell.dataset
JOIN called AS m ON m.key = cell.model
LEFT JOIN called AS e ON e.key = cell.explainer
LEFT JOIN lacking ON lacking.cell = asked.cell AND lacking.metric = asked.metric
LEFT JOIN attempt AS told ON told.id = lacking.attempt
LEFT JOIN current_score AS current
  ON current.metric = asked.metric AND current.cell = asked.cell
LEFT JOIN score ON score.attempt = current.attempt AND score.metric = current.metric
ORDER BY dataset, dataset_params, dataset_content, model, model_params, explainer, explainer_params,
         cell.seed, cell.control, cell.key, asked.metric;
