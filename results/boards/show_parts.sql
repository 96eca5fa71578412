-- The parts of the scores that count for a cell: by concept, pair, output, sample or point of a
-- curve, as the metric's documentation says.
--
--   :cell  key of the cell
SELECT current.metric, part.part, part.value, part.reason
FROM current_score AS current
JOIN sample_score AS part ON part.attempt = current.attempt AND part.metric = current.metric
WHERE current.cell = :cell
ORDER BY current.metric, part.part;
