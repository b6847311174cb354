// An OpenTelemetry Collector of its usual parts, and one that writes what it is sent to a file, a request a line in
// OTLP's JSON, so that a test can compare.
package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/debugexporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/batchprocessor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func main() {
	settings := otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Description: "The collector of Baton's tests", Version: "1"},
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory()},
		}},
	}
	if err := otelcol.NewCommand(settings).Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func factories() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	processors, err := otelcol.MakeFactoryMap[processor.Factory](batchprocessor.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](
		debugexporter.NewFactory(), otlpexporter.NewFactory(), otlphttpexporter.NewFactory(), toFile(),
	)
	if err != nil {
		return otelcol.Factories{}, err
	}
	return otelcol.Factories{
		Receivers: receivers, Processors: processors, Exporters: exporters, Telemetry: otelconftelemetry.NewFactory(),
	}, nil
}

// written is the configuration of `file`, and the file.
type written struct {
	Path string `mapstructure:"path"`
	lock sync.Mutex
}

func (file *written) line(data []byte, err error) error {
	if err != nil {
		return err
	}
	file.lock.Lock()
	defer file.lock.Unlock()
	to, err := os.OpenFile(file.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer to.Close()
	// One write, so that a collector that is killed leaves no half of a line before others.
	_, err = to.Write(append(data, '\n'))
	return err
}

func toFile() exporter.Factory {
	spans, meters, lines := ptrace.JSONMarshaler{}, pmetric.JSONMarshaler{}, plog.JSONMarshaler{}
	return exporter.NewFactory(component.MustNewType("file"), func() component.Config { return &written{} },
		exporter.WithTraces(func(ctx context.Context, set exporter.Settings, config component.Config) (exporter.Traces, error) {
			return exporterhelper.NewTraces(ctx, set, config, func(_ context.Context, data ptrace.Traces) error {
				return config.(*written).line(spans.MarshalTraces(data))
			})
		}, component.StabilityLevelStable),
		exporter.WithMetrics(func(ctx context.Context, set exporter.Settings, config component.Config) (exporter.Metrics, error) {
			return exporterhelper.NewMetrics(ctx, set, config, func(_ context.Context, data pmetric.Metrics) error {
				return config.(*written).line(meters.MarshalMetrics(data))
			})
		}, component.StabilityLevelStable),
		exporter.WithLogs(func(ctx context.Context, set exporter.Settings, config component.Config) (exporter.Logs, error) {
			return exporterhelper.NewLogs(ctx, set, config, func(_ context.Context, data plog.Logs) error {
				return config.(*written).line(lines.MarshalLogs(data))
			})
		}, component.StabilityLevelStable),
	)
}
