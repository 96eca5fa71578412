-- Leaderboard of one metric: mean over seeds, spread and rank in its contest.
--
--   :metric     the metric
--   :run        key of a run; NULL: whatever any run asked for
--   :dataset    :model  :explainer   key, name or plugin id to keep, or a line for each; NULL: all
--   :control    control to keep; NULL: all
--   :self_reported  the rows that rank behind all others: a line "dataset model explainer" of keys for
--                   each, with an empty line before the first; NULL: none
--
-- asked counts the seeds asked for, n those with a number. An entry with n < asked is incomplete and
-- ranks behind every complete one; one without any number, or of a metric without a direction,
-- has no rank. Equal means share a rank and the next one is skipped. The explainers of one model
-- compete with each other on a dataset, each control for itself; models that nothing explains compete
-- on their dataset, and one that is alone there has no rank. The filters of model and explainer work
-- after the ranking: hiding the others does not make anybody first.
-- mean and sample_sd are aggregates of conoscope's connections: two-pass, the latter divided by n - 1;
-- among(words, ...) says whether one of the others is a line of words, or words is NULL.
WITH
named AS MATERIALIZED (
  SELECT key, kind, plugin_id, plugin_version, params,
         coalesce(run_component.name, component.name) AS name
  FROM component
  LEFT JOIN run_component ON run_component.run = :run AND run_component.component = component.key
  WHERE :run IS NULL OR run_component.run IS NOT NULL),
wanted_dataset AS (
  SELECT key FROM named WHERE kind = 'dataset' AND among(:dataset, key, name, plugin_id)),
wanted_control (control) AS (
  SELECT :control WHERE :control IS NOT NULL
  UNION ALL
  SELECT DISTINCT control FROM cell WHERE :control IS NULL),
-- Those to keep, and those that compete with them themselves.
wanted_model AS (
  SELECT key FROM named
  WHERE kind = 'model'
    AND (among(:model, key, name, plugin_id)
         OR EXISTS (SELECT 1 FROM cell
                    WHERE cell.dataset IN wanted_dataset AND cell.model = named.key
                      AND cell.control IN wanted_control AND cell.explainer IS NULL))),
-- One row per asked cell, along the index cell_by_subject: the grouping below sorts nothing, and
-- the seeds are summed in their own order, so that equal stores give equal bits.
outcome AS (
  SELECT cell.dataset, cell.model, cell.explainer, cell.control, current.value
  FROM cell
  LEFT JOIN current_score AS current ON current.metric = :metric AND current.cell = cell.key
  WHERE cell.dataset IN wanted_dataset
    AND cell.model IN wanted_model
    AND cell.control IN wanted_control
    AND EXISTS (SELECT 1 FROM run_cell
                JOIN run_metric
                  ON run_metric.run = run_cell.run AND run_metric.metric = :metric
                WHERE run_cell.cell = cell.key AND (:run IS NULL OR run_cell.run = :run))),
entry AS (
  SELECT dataset, model, explainer, control,
         count(*) AS asked, count(value) AS n, mean(value) AS mean, sample_sd(value) AS sd
  FROM outcome
  GROUP BY dataset, model, control, explainer),
ranked AS (
  SELECT entry.*, metric_key.direction,
         CASE WHEN n > 0 AND metric_key.direction <> 'none'
                   AND (explainer IS NOT NULL OR count(*) OVER contest > 1) THEN
           rank() OVER (
             contest ORDER BY n = 0,
                              instr(coalesce(:self_reported, ''),
                                    char(10) || dataset || ' ' || model || ' ' ||
                                    coalesce(explainer, '') || char(10)) > 0,
                              n < asked,
                              CASE metric_key.direction WHEN 'higher' THEN -mean ELSE mean END)
         END AS place
  FROM entry
  JOIN metric_key ON metric_key.metric = :metric
  WINDOW contest AS (
    PARTITION BY dataset, CASE WHEN explainer IS NOT NULL THEN model END, control))
SELECT d.name AS dataset, m.name AS model, e.name AS explainer, control,
       place AS rank, n, asked, mean, sd,
       ranked.dataset AS dataset_key, ranked.model AS model_key, ranked.explainer AS explainer_key
FROM ranked
JOIN named AS d ON d.key = ranked.dataset
JOIN named AS m ON m.key = ranked.model
LEFT JOIN named AS e ON e.key = ranked.explainer
WHERE among(:model, m.key, m.name, m.plugin_id)
  AND among(:explainer, e.key, e.name, e.plugin_id)
ORDER BY d.name, ranked.dataset,
         e.key IS NULL, CASE WHEN e.key IS NOT NULL THEN m.name END,
         CASE WHEN e.key IS NOT NULL THEN m.key END,
         control, place IS NULL, place, e.name, e.key, m.name, m.key;
