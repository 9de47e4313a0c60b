import type { Span, SpanContext, Tracer } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** A place in a trace, as in the W3C headers. */
export interface TraceContext {
  readonly traceparent: string;
  /** Empty, or state of preceding systems. */
  readonly tracestate: string;
}

export interface TracedWork {
  readonly context: TraceContext;
  /** With an error text, or null. `name` replaces the initial one. */
  end(failure: string | null, details?: { readonly name: string; readonly attributes: SpanAttributes }): void;
}

type SpanAttributes = Readonly<Record<string, string | number>>;

export interface Tracing {
  begin(name: string, parent: TraceContext | undefined): TracedWork;
  /** Sends the rest, for at most 2 s. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  readonly service: string;
  /** Address of an OTLP collector over HTTP, like http://127.0.0.1:4318. */
  readonly endpoint: string;
  /** Recorded share of traces, 0 to 1. */
  readonly ratio: number;
  /** Parents are external clients, which do not decide the recording. */
  readonly isEdge?: boolean;
}

const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const tracestate = /^[\x20-\x7e]{0,512}$/;
const stopMs = 2_000;

/** Undefined without a well-formed `traceparent`. Drops a malformed `tracestate`. */
export function parseTraceContext(parent: unknown, state: unknown): TraceContext | undefined {
  if (typeof parent !== 'string' || !traceparent.test(parent)) return undefined;
  return { traceparent: parent, tracestate: typeof state === 'string' && tracestate.test(state) ? state : '' };
}

export function traceIdOf(context: TraceContext | undefined): string | undefined {
  return context?.traceparent.slice(3, 35);
}

/** Loads the SDK lazily. */
export async function startTracing({ service, endpoint, ratio, isEdge }: TracingOptions): Promise<Tracing> {
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const root = new sdk.TraceIdRatioBasedSampler(ratio);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    sampler: new sdk.ParentBasedSampler(isEdge ? { root, remoteParentSampled: root } : { root }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }),
      }),
    ],
  });
  const tracer = provider.getTracer('panel');
  return {
    begin: (name, parent) => begin(tracer, name, parent),
    stop: async () => {
      const late = new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref());
      // An unreachable collector must not delay the end.
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

function begin(tracer: Tracer, name: string, parent: TraceContext | undefined): TracedWork {
  const remote = parent && spanContextOf(parent);
  const context = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, context);
  return {
    context: { traceparent: traceparentOf(span), tracestate: parent?.tracestate ?? '' },
    end: (failure, details) => {
      if (details) span.updateName(details.name).setAttributes(details.attributes);
      if (failure !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end();
    },
  };
}

function spanContextOf(context: TraceContext): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.exec(context.traceparent) ?? [];
  return traceId === '' ? undefined : { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
