import { lazy, Suspense } from 'react';
import { type Key, useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { useSearchParams } from '../ui/search-params.js';
import { Skeleton } from '../ui/states.js';
import { ConsoleGraphs } from './console-graphs.js';

const History = lazy(async () => ({ default: (await import('./server-history.js')).ServerHistory }));

const graphRanges = ['hour', 'day', 'quarter'] as const;
export type GraphRange = (typeof graphRanges)[number];

export function useGraphRange(): readonly [GraphRange | null, (range: GraphRange | null) => void] {
  const [parameters, setParameters] = useSearchParams();
  const wanted = parameters.get('range');
  const range = graphRanges.find((known) => known === wanted) ?? null;
  const choose = (next: GraphRange | null): void => {
    const { range: _, ...others } = Object.fromEntries(parameters);
    setParameters(next === null ? others : { ...others, range: next }, { replace: true });
  };
  return [range, choose];
}

export function RangeButtons({ hasNow }: { readonly hasNow: boolean }) {
  const { t } = useI18n();
  const [range, choose] = useGraphRange();
  const choices = hasNow ? [null, ...graphRanges] : graphRanges;
  const current = range ?? (hasNow ? null : 'hour');
  return (
    <div className="row" role="group" aria-label={t('graph.range')}>
      {choices.map((choice) => (
        <Button
          key={choice ?? 'now'}
          kind={choice === current ? 'plain' : 'quiet'}
          aria-pressed={choice === current}
          onClick={() => choose(choice)}
        >
          {t(`graph.${choice ?? 'now'}` satisfies Key)}
        </Button>
      ))}
    </div>
  );
}

export function Graphs({ onShow }: { readonly onShow: (at: number) => void }) {
  const [range] = useGraphRange();
  return (
    <div className="stack">
      <RangeButtons hasNow />
      {range === null ? (
        <ConsoleGraphs onShow={onShow} />
      ) : (
        <Suspense fallback={<Skeleton rows={2} />}>
          <History range={range} onShow={onShow} />
        </Suspense>
      )}
    </div>
  );
}
