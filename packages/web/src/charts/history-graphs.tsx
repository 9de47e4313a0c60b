import { useCallback } from 'react';
import type { Metrics } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { Graph, type Mark } from './graph.js';
import type { GraphRange } from './graphs.js';

const minuteMs = 60_000;

/** Length, step in seconds, and poll interval of each range. */
const ranges: Readonly<Record<GraphRange, { readonly ms: number; readonly step: 10 | 60 | 900 }>> = {
  hour: { ms: 60 * minuteMs, step: 10 },
  day: { ms: 24 * 60 * minuteMs, step: 60 },
  quarter: { ms: 90 * 24 * 60 * minuteMs, step: 900 },
};

export const historyPollMs = minuteMs;

export function historyQuery(range: GraphRange, now: number): { from: string; to: string; step: '10' | '60' | '900' } {
  const { ms, step } = ranges[range];
  const stepMs = step * 1_000;
  // One step less than the tier holds, because its oldest is about to expire.
  const to = Math.floor(now / stepMs) * stepMs;
  return { from: new Date(to - ms + stepMs).toISOString(), to: new Date(to).toISOString(), step: `${step}` };
}

interface HistoryGraphsProps {
  readonly metrics: Metrics;
  readonly limits: { readonly cpu: number | null; readonly memory: number | null; readonly disk: number | null };
  readonly marks: readonly Mark[];
  readonly onPick: (at: number) => void;
}

export function HistoryGraphs({ metrics, limits, marks, onPick }: HistoryGraphsProps) {
  const { t, number, bytes } = useI18n();
  const percent = useCallback((value: number) => `${number(value)} %`, [number]);
  const rate = useCallback((value: number) => `${bytes(Math.max(0, value))}/s`, [bytes]);
  const start = Date.parse(metrics.from);
  const times = metrics.cpu.map((_, index) => start + index * metrics.step * 1_000);
  const shared = { times, marks, onPick };
  return (
    <div className="graphs">
      <Graph
        {...shared}
        title={t('resource.cpu')}
        series={[{ label: t('resource.cpu'), values: metrics.cpu }]}
        limit={limits.cpu}
        format={percent}
      />
      <Graph
        {...shared}
        title={t('resource.memory')}
        series={[{ label: t('resource.memory'), values: metrics.memory }]}
        limit={limits.memory}
        format={bytes}
        isBytes
      />
      <Graph
        {...shared}
        title={t('resource.disk')}
        series={[{ label: t('resource.disk'), values: metrics.disk }]}
        limit={limits.disk}
        format={bytes}
        isBytes
      />
      <Graph
        {...shared}
        title={t('resource.network')}
        series={[
          { label: t('resource.received'), values: metrics.network_rx },
          { label: t('resource.sent'), values: metrics.network_tx },
        ]}
        limit={null}
        format={rate}
        isBytes
      />
    </div>
  );
}
