import type { GetMetricsResponse, GetNodeMetricsResponse } from '@panel/protos/servers';
import { z } from 'zod';
import { required } from '../../declaration/present.js';

const series = z.array(z.number().nullable());

export const metrics = z
  .strictObject({
    from: z.iso.datetime().describe('start of the first step'),
    to: z.iso.datetime().describe('end of the last step'),
    step: z.int().describe('seconds'),
    cpu: series.describe('percent; 100 is one core'),
    memory: series.describe('bytes'),
    disk: series.describe('bytes'),
    network_rx: series.describe('bytes per second'),
    network_tx: series.describe('bytes per second'),
  })
  .describe('lists of one length, one entry for each step; null where nothing is known')
  .meta({ id: 'Metrics' });

const instant = z.iso
  .datetime({ offset: true })
  .refine((text) => Date.parse(text) >= 0, 'must be 1970 or later')
  .optional();

export const metricsQuery = z.object({
  from: instant.describe('an hour before `to` without it'),
  to: instant.describe('now without it'),
  step: z.enum(['10', '60', '900']).optional().describe('seconds; the finest that still holds the range without it'),
});

/** Gaps are null: JSON has no NaN. */
function rounded(values: readonly number[], decimals: number): (number | null)[] {
  const factor = 10 ** decimals;
  return values.map((value) => (Number.isNaN(value) ? null : Math.round(value * factor) / factor));
}

export function presentMetrics(message: GetMetricsResponse | GetNodeMetricsResponse): z.input<typeof metrics> {
  return {
    from: required(message.fromTime, 'from_time').toISOString(),
    to: required(message.toTime, 'to_time').toISOString(),
    step: message.stepSeconds,
    cpu: rounded(message.cpuPercent, 2),
    memory: rounded(message.memoryBytes, 0),
    disk: rounded(message.diskBytes, 0),
    network_rx: rounded(message.networkRxBytesPerSecond, 0),
    network_tx: rounded(message.networkTxBytesPerSecond, 0),
  };
}

export function metricsRange({ from, to, step }: z.output<typeof metricsQuery>) {
  return {
    fromTime: from === undefined ? undefined : new Date(from),
    toTime: to === undefined ? undefined : new Date(to),
    stepSeconds: step === undefined ? undefined : Number(step),
  };
}
