import type { Metrics, Node } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useData } from '../api/use-data.js';
import { Card } from '../ui/page.js';
import { ErrorNote } from '../ui/states.js';
import { RangeButtons, useGraphRange } from './graphs.js';
import { HistoryGraphs, historyPollMs, historyQuery } from './history-graphs.js';

const mb = 1024 ** 2;
const noMarks = [] as const;
/** Reserves the graphs' space. */
const noMetrics: Metrics = { from: '', to: '', step: 1, cpu: [], memory: [], disk: [], network_rx: [], network_tx: [] };

/** Of all games. */
export function NodeGraphs({ node: { id, cpu, memory, disk } }: { readonly node: Node }) {
  const { t } = useI18n();
  const [chosen] = useGraphRange();
  const range = chosen ?? 'hour';
  const metrics = useData(
    ['staff', 'nodes', 'metrics', id, range],
    async (client) =>
      (await client.get('/admin/nodes/{id}/metrics', { params: { id }, query: historyQuery(range, Date.now()) })).data,
    { every: historyPollMs, keepsPrevious: true },
  );
  const limits = { cpu: cpu || null, memory: memory * mb || null, disk: disk * mb || null };
  return (
    <Card title={t('staff.used-together')} actions={<RangeButtons hasNow={false} />}>
      {metrics.error ? <ErrorNote error={metrics.error} onRetry={() => void metrics.refetch()} /> : null}
      <HistoryGraphs metrics={metrics.data ?? noMetrics} limits={limits} marks={noMarks} onPick={() => undefined} />
    </Card>
  );
}
