-- Every attempt at a cell, newest first, with the text of its failure.
--
--   :cell  key of the cell
SELECT a.started_at, a.status, a.stage,
       (SELECT group_concat(metric, ' ') FROM (SELECT metric FROM score
         WHERE score.attempt = a.id AND score.reason = 'error' ORDER BY metric)) AS not_scored,
       a.signal, a.exit_code, a.seconds, a.peak_memory,
       a.message, a.log_tail, run.name AS run, environment.text AS environment, a.binaries,
       (SELECT group_concat(reason, '; ') FROM retraction WHERE retraction.attempt = a.id)
         AS retracted,
       (SELECT group_concat(seed, ' ')
        FROM (SELECT peer_cell.seed FROM attempt_peer
              JOIN cell AS peer_cell ON peer_cell.key = attempt_peer.cell
              WHERE attempt_peer.attempt = a.id ORDER BY peer_cell.seed)) AS compared_with_seeds,
       a.id AS attempt
FROM attempt AS a
JOIN run ON run.key = a.run
JOIN environment ON environment.key = a.environment
WHERE a.cell = :cell
ORDER BY a.number DESC, a.id DESC;
