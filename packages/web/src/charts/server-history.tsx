import { useServer } from '../server/server-context.js';
import { useData } from '../api/use-data.js';
import { Loaded } from '../ui/states.js';
import type { GraphRange } from './graphs.js';
import { HistoryGraphs, historyPollMs, historyQuery } from './history-graphs.js';
import { useMarks } from './marks.js';

interface ServerHistoryProps {
  readonly range: GraphRange;
  readonly onShow: (at: number) => void;
}

const mb = 1024 ** 2;

export function ServerHistory({ range, onShow }: ServerHistoryProps) {
  const { id, server } = useServer();
  const marks = useMarks();
  const metrics = useData(
    ['server', id, 'metrics', range],
    async (client) => {
      const query = historyQuery(range, Date.now());
      return (await client.get('/servers/{id}/metrics', { params: { id }, query })).data;
    },
    { every: historyPollMs, keepsPrevious: true },
  );
  const { limits } = server;
  return (
    <Loaded query={metrics} rows={4}>
      {(data) => (
        <HistoryGraphs
          metrics={data}
          limits={{
            cpu: limits.cpu || null,
            memory: limits.memory * mb || null,
            disk: limits.disk * mb || null,
          }}
          marks={marks}
          onPick={onShow}
        />
      )}
    </Loaded>
  );
}
