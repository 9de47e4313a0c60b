import { AArrowUp, ArrowDownToLine, Clock, Download, Filter, History, UnfoldVertical, WrapText } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { useServer } from '../server/server-context.js';
import { ConnectionNote } from './connection-note.js';
import { linesAsText } from './lines-as-text.js';
import { saveText } from '../ui/download.js';
import { type LineFilter, LineView } from './line-view.js';
import { createMatcher } from './matcher.js';
import { useToasts } from '../ui/toasts.js';
import { plainText } from './sgr.js';
import { Prompt } from './prompt.js';

interface ConsoleProps {
  /** Scroll to the lines of this time. */
  readonly shownTime: { readonly at: number } | null;
}

type MarkedLines = readonly [from: number, to: number];

const settingsKey = 'panel-console';

interface Look {
  readonly isWrapped: boolean;
  readonly hasTimes: boolean;
  readonly size: Size;
}

const sizes = ['small', 'medium', 'large'] as const;
type Size = (typeof sizes)[number];
/** Lines shown around one that matches. */
const contextLines = 3;

function storedLook(): Look {
  const stored: unknown = JSON.parse(localStorage.getItem(settingsKey) ?? '{}');
  const isNarrow = innerWidth < 700;
  return { isWrapped: isNarrow, hasTimes: !isNarrow, size: 'medium', ...(stored as Partial<Look>) };
}

/** The console of a server: its lines, search, and a prompt. */
export function Console({ shownTime }: ConsoleProps) {
  const { t, time, number } = useI18n();
  const { session, server } = useServer();
  const toasts = useToasts();
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<LineView | null>(null);
  const [follows, setFollows] = useState(true);
  const [look, setLook] = useState(storedLook);
  const [search, setSearch] = useState('');
  const [isFilter, setIsFilter] = useState(false);
  const [hasContext, setHasContext] = useState(false);
  const [marked, setMarked] = useState<MarkedLines | null>(null);
  const matcher = useMemo(() => createMatcher(search), [search]);

  const readOlder = useRef(async () => false);
  readOlder.current = async () => {
    try {
      const hasRead = await session.readOlder();
      if (hasRead) view?.prepended();
      return hasRead;
    } catch (error) {
      toasts.showError(error);
      return false;
    }
  };
  useEffect(() => {
    if (!frame.current) return undefined;
    const created = new LineView({
      ring: session.ring,
      frame: frame.current,
      formatTime: time,
      onFollow: setFollows,
      onTop: () => void readOlder.current(),
      onMark: (line, isRange) =>
        setMarked((range) => (isRange && range ? [Math.min(range[0], line), Math.max(range[1], line)] : [line, line])),
    });
    setView(created);
    const stop = session.onLines(() => created.changed());
    return () => {
      stop();
      created.close();
    };
  }, [session, time]);
  // Wrapping is measured with the size.
  useEffect(() => view?.setWrap(look.isWrapped), [view, look]);
  useEffect(() => view?.setMarked(marked), [view, marked]);
  useEffect(() => {
    view?.setFilter(isFilter ? matcher : null, hasContext ? contextLines : 0);
    view?.setSearch(isFilter && !hasContext ? null : matcher);
  }, [view, matcher, isFilter, hasContext]);
  useEffect(() => {
    if (!shownTime || !view) return undefined;
    const wanted = new AbortController();
    const show = async (): Promise<void> => {
      // Its lines may have to be read first.
      while (
        !wanted.signal.aborted &&
        session.ring.timeAt(session.ring.first) > shownTime.at &&
        (await readOlder.current())
      );
      if (wanted.signal.aborted) return;
      const line = session.ring.lineAt(shownTime.at);
      view.show(line);
      setMarked([line, line]);
      frame.current?.scrollIntoView({ block: 'nearest' });
    };
    void show();
    return () => wanted.abort();
  }, [view, shownTime, session]);

  const changeLook = (change: Partial<Look>): void => {
    const next = { ...look, ...change };
    localStorage.setItem(settingsKey, JSON.stringify(next));
    setLook(next);
  };
  const find = (step: 1 | -1): void => {
    if (!matcher || !view) return;
    const from = marked?.[0] ?? view.middleLine;
    const line = findLine(session.ring, matcher, from, step);
    if (line === null) return;
    setMarked([line, line]);
    view.show(line);
  };
  return (
    <section className="console-frame stack" aria-label={t('server.console')}>
      <ConnectionNote />
      <div
        className="console"
        data-wrap={look.isWrapped || undefined}
        data-times={look.hasTimes ? 'on' : 'off'}
        data-size={look.size}
      >
        <div className="console-bar">
          <label className="search">
            <span className="only-read">{t('console.search')}</span>
            <input
              type="search"
              placeholder={t('console.search')}
              title={t('console.search-hint')}
              value={search}
              onChange={(event) => setSearch(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') find(event.shiftKey ? 1 : -1);
              }}
              data-search
            />
          </label>
          <Button
            kind="quiet"
            label={t('console.filter')}
            icon={<Filter />}
            aria-pressed={isFilter}
            onClick={() => setIsFilter(!isFilter)}
          />
          {isFilter ? (
            <Button
              kind="quiet"
              label={t('console.context')}
              icon={<UnfoldVertical />}
              aria-pressed={hasContext}
              onClick={() => setHasContext(!hasContext)}
            />
          ) : null}
          <Button
            kind="quiet"
            label={t('console.wrap')}
            icon={<WrapText />}
            aria-pressed={look.isWrapped}
            onClick={() => changeLook({ isWrapped: !look.isWrapped })}
          />
          <Button
            kind="quiet"
            label={t('console.times')}
            icon={<Clock />}
            aria-pressed={look.hasTimes}
            onClick={() => changeLook({ hasTimes: !look.hasTimes })}
          />
          <Button
            kind="quiet"
            label={t(`console.size-${look.size}`)}
            icon={<AArrowUp />}
            onClick={() => changeLook({ size: sizes[(sizes.indexOf(look.size) + 1) % sizes.length] ?? 'medium' })}
          />
          <Button
            kind="quiet"
            label={t('console.older')}
            icon={<History />}
            onClick={() =>
              void readOlder.current().then((hasRead) => {
                if (hasRead) view?.show(session.ring.first);
                else toasts.show(t('console.no-older'));
              })
            }
          />
          <Button
            kind="quiet"
            label={t('console.save')}
            icon={<Download />}
            onClick={() =>
              saveText(`${server.name}.log`, linesAsText(session.ring, session.ring.first, session.ring.next))
            }
          />
          {marked ? (
            <>
              <Button
                onClick={() => {
                  void navigator.clipboard.writeText(linesAsText(session.ring, marked[0], marked[1] + 1));
                  setMarked(null);
                }}
              >
                {t('console.copy-lines', { count: marked[1] - marked[0] + 1 })}
              </Button>
              <Button
                onClick={() => {
                  void navigator.clipboard.writeText(addressOfLine(server.id, session.ring.timeAt(marked[0])));
                  toasts.show(t('console.link-copied'));
                }}
              >
                {t('console.copy-link')}
              </Button>
            </>
          ) : null}
        </div>
        <div
          ref={frame}
          className="console-lines"
          role="log"
          aria-live="off"
          aria-label={t('console.output')}
          tabIndex={0}
        />
        <Prompt />
      </div>
      {follows ? null : (
        <div className="console-tail">
          <Button kind="primary" icon={<ArrowDownToLine />} onClick={() => view?.follow()}>
            {t('console.follow')}
          </Button>
        </div>
      )}
      <Announcer format={number} />
    </section>
  );
}

/** Where a page shows the line of a time. */
function addressOfLine(serverId: string, at: number): string {
  return `${location.origin}/servers/${serverId}?at=${at}`;
}

function findLine(
  ring: ReturnType<typeof useServer>['session']['ring'],
  matcher: LineFilter,
  from: number,
  step: 1 | -1,
): number | null {
  for (let line = from + step; line >= ring.first && line < ring.next; line += step) {
    if (matcher.test(plainText(ring.rawAt(line)))) return line;
  }
  return null;
}

const announceMs = 4_000;

/** Reads new lines out, at a pace that can be listened to: the last one, and how many there were. */
function Announcer({ format }: { readonly format: (value: number) => string }) {
  const { t } = useI18n();
  const { session } = useServer();
  const [text, setText] = useState('');
  const seen = useRef(session.ring.next);
  useEffect(() => {
    const timer = setInterval(() => {
      const { ring } = session;
      const count = ring.next - seen.current;
      seen.current = ring.next;
      if (count === 0 || document.hidden) return;
      const last = plainText(ring.rawAt(ring.next - 1));
      setText(count === 1 ? last : `${t('console.new-lines', { count: format(count) })} ${last}`);
    }, announceMs);
    return () => clearInterval(timer);
  }, [session, t, format]);
  const { status } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  return (
    <div className="only-read" aria-live="polite">
      <p>{status}</p>
      <p>{text}</p>
    </div>
  );
}
