-- Every cell with its attempts, the newest first: what `conoscope retract` chooses from.
SELECT cell.key AS cell, coalesce(attempt.id, '') AS attempt, coalesce(attempt.status, '') AS status,
       coalesce(attempt.started_at, '') AS started_at,
       coalesce(attempt.status IN ('ok', 'not_applicable')
                OR EXISTS (SELECT 1 FROM current_score WHERE current_score.attempt = attempt.id), 0) AS good,
       coalesce((SELECT group_concat(reason, '; ') FROM retraction
                 WHERE retraction.attempt = attempt.id), '') AS retracted,
       d.name || ' x ' || m.name || coalesce(' x ' || e.name, '')
         || CASE cell.control WHEN 'none' THEN '' ELSE ' (' || cell.control || ')' END
         || ', seed ' || cell.seed AS label
FROM cell
JOIN component AS d ON d.key = cell.dataset
JOIN component AS m ON m.key = cell.model
LEFT JOIN component AS e ON e.key = cell.explainer
LEFT JOIN attempt ON attempt.cell = cell.key
ORDER BY attempt.number DESC, attempt.id DESC, cell.key;
