-- The scores that count for a cell.
--
--   :cell  key of the cell
SELECT metric_key.grp AS "group", current.metric, current.value, current.reason,
       metric_key.direction, metric_key.low, metric_key.high, metric_key.unit,
       current.attempt, nullif(score.message, '') AS message
FROM metric_key
JOIN current_score AS current ON current.metric = metric_key.metric AND current.cell = :cell
JOIN score ON score.attempt = current.attempt AND score.metric = current.metric
ORDER BY metric_key.grp, current.metric;
