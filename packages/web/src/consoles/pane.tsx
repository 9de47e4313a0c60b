import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { ListedServer } from '@panel/client';
import { Link } from 'wouter';
import { LineView } from '../console/line-view.js';
import { useI18n } from '../i18n/i18n.js';
import { errorText } from '../ui/states.js';
import { Status } from '../ui/status.js';
import type { ConsoleSession } from '../server/console-session/console-session.js';
import { useConsoleSession } from '../server/console-session/use-console-session.js';

interface PaneProps {
  readonly server: Pick<ListedServer, 'id' | 'name' | 'status'>;
  readonly isTarget: boolean;
  readonly onTarget: () => void;
}

const retainedLines = 5_000;

/** One console among several, and its selection as a command target. */
export function Pane({ server, isTarget, onTarget }: PaneProps) {
  const { t } = useI18n();
  const { id, name } = server;
  const session = useConsoleSession(id, { lines: retainedLines });
  return (
    <section className="console" data-times="off" data-wrap aria-label={name}>
      <header className="console-bar">
        <h2>
          <Link to={`/servers/${id}`}>
            <bdi>{name}</bdi>
          </Link>
        </h2>
        {session ? <PaneStatus session={session} known={server.status} /> : null}
        <label className="row">
          <input type="checkbox" checked={isTarget} onChange={onTarget} />
          {t('consoles.is-target')}
        </label>
      </header>
      {session ? <Lines session={session} name={name} /> : null}
    </section>
  );
}

function PaneStatus({ session, known }: { readonly session: ConsoleSession; readonly known: string }) {
  const { t } = useI18n();
  const { status, connection, stats } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  const i18n = useI18n();
  if (connection.kind === 'waiting') {
    const text = connection.refusal ? errorText(connection.refusal, i18n) : t('console.reconnecting');
    return <span role="status">{text}</span>;
  }
  if (connection.kind === 'stopped') return <span role="status">{t('console.closed')}</span>;
  return (
    <>
      <Status value={status ?? known} />
      {stats && status === 'running' ? (
        <span className="console-count">
          {i18n.number(stats.cpu)} % · {i18n.bytes(stats.memory_bytes)}
        </span>
      ) : null}
    </>
  );
}

function Lines({ session, name }: { readonly session: ConsoleSession; readonly name: string }) {
  const { t, time } = useI18n();
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!frame.current) return undefined;
    const view = new LineView({
      ring: session.ring,
      frame: frame.current,
      formatTime: time,
      onFollow: () => undefined,
      onMark: () => undefined,
    });
    view.setWrap(true);
    const stop = session.onLines(() => view.changed());
    return () => {
      stop();
      view.close();
    };
  }, [session, time]);
  return (
    <div
      ref={frame}
      className="console-lines"
      role="log"
      aria-live="off"
      aria-label={`${name}: ${t('console.output')}`}
      tabIndex={0}
    />
  );
}
