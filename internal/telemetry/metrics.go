// Package telemetry makes what happens visible: metrics for Prometheus, structured logs and the state of each part.
package telemetry

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the collectors of one process, in a registry of their own.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	errors   *prometheus.CounterVec
	jobs     *prometheus.CounterVec
	jobTime  *prometheus.HistogramVec
	searches *prometheus.CounterVec
	stages   *prometheus.HistogramVec
	saved    *prometheus.CounterVec
}

// NewMetrics makes the collectors. Names start with lukasa_, times are in seconds.
func NewMetrics() *Metrics {
	fast := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_http_requests_total", Help: "Requests by route, method and status."}, []string{"route", "method", "status"}),
		latency:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "lukasa_http_request_duration_seconds", Help: "Time to answer a request.", Buckets: fast}, []string{"route"}),
		errors:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_errors_total", Help: "Errors answered, by category and code."}, []string{"category", "code"}),
		jobs:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_jobs_total", Help: "Job attempts by kind and outcome."}, []string{"kind", "outcome"}),
		jobTime:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "lukasa_job_duration_seconds", Help: "Time of a job attempt.", Buckets: prometheus.ExponentialBuckets(.005, 4, 9)}, []string{"kind"}),
		searches: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_searches_total", Help: "Searches by ranker and by whether the cache answered."}, []string{"ranker", "cached"}),
		stages:   prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "lukasa_search_stage_duration_seconds", Help: "Time of each stage of a search.", Buckets: fast}, []string{"stage"}),
		saved:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lukasa_records_total", Help: "Records written, by type and outcome."}, []string{"type", "outcome"}),
	}
	m.registry.MustRegister(m.requests, m.latency, m.errors, m.jobs, m.jobTime, m.searches, m.stages, m.saved,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Gauge registers a value that is read when it is asked for.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// Request notes an answered request.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(route).Observe(took.Seconds())
}

// Error notes an error that was answered.
func (m *Metrics) Error(category, code string) { m.errors.WithLabelValues(category, code).Inc() }

// Job notes an attempt at a job.
func (m *Metrics) Job(kind string, ok bool, took time.Duration) {
	outcome := "failed"
	if ok {
		outcome = "done"
	}
	m.jobs.WithLabelValues(kind, outcome).Inc()
	m.jobTime.WithLabelValues(kind).Observe(took.Seconds())
}

// Search notes a search with the milliseconds of its stages.
func (m *Metrics) Search(ranker string, cached bool, stageMS map[string]float64) {
	m.searches.WithLabelValues(ranker, strconv.FormatBool(cached)).Inc()
	for s, ms := range stageMS {
		m.stages.WithLabelValues(s).Observe(ms / 1000)
	}
}

// Saved notes n records written.
func (m *Metrics) Saved(typ, outcome string, n int) {
	m.saved.WithLabelValues(typ, outcome).Add(float64(n))
}

// Handler serves the metrics in Prometheus's text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
