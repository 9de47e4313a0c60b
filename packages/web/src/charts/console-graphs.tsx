import { useCallback, useSyncExternalStore } from 'react';
import { useI18n } from '../i18n/i18n.js';
import type { Sample } from '../server/console-session/console-session.js';
import { useServer } from '../server/server-context.js';
import { Card } from '../ui/page.js';
import { Graph } from './graph.js';
import { useMarks } from './marks.js';

const mb = 1024 ** 2;

export function ConsoleGraphs({ onShow }: { readonly onShow: (at: number) => void }) {
  const { t, number, bytes } = useI18n();
  const { session, server } = useServer();
  useSyncExternalStore(session.subscribe, () => session.snapshot.stats);
  const marks = useMarks();
  const percent = useCallback((value: number) => `${number(value)} %`, [number]);
  const rate = useCallback((value: number) => `${bytes(Math.max(0, value))}/s`, [bytes]);
  const { samples } = session;
  if (samples.length < 2) return <Card>{t('graph.waiting')}</Card>;
  const times = samples.map(({ at }) => at);
  const shared = { times, marks, onPick: onShow };
  return (
    <div className="graphs">
      <Graph
        {...shared}
        title={t('resource.cpu')}
        series={[{ label: t('resource.cpu'), values: samples.map(({ cpu }) => cpu) }]}
        limit={server.limits.cpu || null}
        format={percent}
      />
      <Graph
        {...shared}
        title={t('resource.memory')}
        series={[{ label: t('resource.memory'), values: samples.map(({ memory }) => memory) }]}
        limit={server.limits.memory * mb || null}
        format={bytes}
        isBytes
      />
      <Graph
        {...shared}
        title={t('resource.network')}
        series={[
          { label: t('resource.received'), values: rates(samples, ({ received }) => received) },
          { label: t('resource.sent'), values: rates(samples, ({ sent }) => sent) },
        ]}
        limit={null}
        format={rate}
        isBytes
      />
    </div>
  );
}

/** Bytes a second from counters. A reset counter gives null. */
function rates(samples: readonly Sample[], counter: (sample: Sample) => number): (number | null)[] {
  return samples.map((sample, index) => {
    const before = samples[index - 1];
    if (!before) return null;
    const difference = counter(sample) - counter(before);
    return difference < 0 ? null : (difference * 1000) / Math.max(1, sample.at - before.at);
  });
}
