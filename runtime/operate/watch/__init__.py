"""The statistics of attached policies for Prometheus: metric families and a server; alert rules and a dashboard."""
