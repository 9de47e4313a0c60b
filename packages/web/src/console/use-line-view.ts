import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { useToasts } from '../ui/toasts.js';
import { saveText } from '../ui/download.js';
import { LineView } from './line-view.js';
import { isCut, plainText } from './sgr.js';
import type { ShownTime } from './use-shown-time.js';

type MarkedLines = readonly [from: number, to: number];

/** The console's lines in `frame`, and the marked one. */
export function useLineView(frame: RefObject<HTMLElement | null>) {
  const { t, time } = useI18n();
  const { session, server } = useServer();
  const toasts = useToasts();
  const [view, setView] = useState<LineView | null>(null);
  const [follows, setFollows] = useState(true);
  const [marked, setMarked] = useState<MarkedLines | null>(null);
  /** False without older lines; shows a read error. */
  const readOlder = async (): Promise<boolean> => {
    try {
      const hasRead = await session.readOlder();
      if (hasRead) view?.prepended();
      return hasRead;
    } catch (error) {
      toasts.showError(error);
      return false;
    }
  };
  const saveWhole = useEffectEvent(async (line: number): Promise<void> => {
    try {
      const text = await session.readWhole(line);
      if (text === null || isCut(text)) toasts.show(t('console.no-whole'));
      else saveText(`${server.name}-${session.ring.seqAt(line)}.log`, plainText(text));
    } catch (error) {
      toasts.showError(error);
    }
  });
  const wholeLabel = t('console.whole');
  const readAtTop = useEffectEvent(() => void readOlder());
  useEffect(() => {
    if (!frame.current) return undefined;
    const created = new LineView({
      ring: session.ring,
      frame: frame.current,
      formatTime: time,
      onFollow: setFollows,
      onTop: () => readAtTop(),
      whole: { label: wholeLabel, onAsk: (line) => void saveWhole(line) },
      onMark: (line, isRange) =>
        setMarked((range) => (isRange && range ? [Math.min(range[0], line), Math.max(range[1], line)] : [line, line])),
    });
    // oxlint-disable-next-line react/set-state-in-effect -- the view is made for an element, which is there after rendering
    setView(created);
    const stop = session.onLines(() => created.changed());
    return () => {
      stop();
      created.close();
    };
  }, [frame, session, time, wholeLabel]);
  useEffect(() => view?.setMarked(marked), [view, marked]);
  const showMarked = (line: number): void => {
    setMarked([line, line]);
    view?.show(line);
  };
  return { view, follows, marked, setMarked, showMarked, readOlder };
}

export type Lines = ReturnType<typeof useLineView>;

/** Scrolls to the first line of the time; reads older lines until then. */
export function useScrollToTime(
  frame: RefObject<HTMLElement | null>,
  { view, showMarked, readOlder }: Lines,
  shownTime: ShownTime | null,
): void {
  const { session } = useServer();
  const read = useEffectEvent(readOlder);
  const show = useEffectEvent(showMarked);
  useEffect(() => {
    if (!shownTime || !view) return undefined;
    const wanted = new AbortController();
    const { ring } = session;
    const scroll = async (): Promise<void> => {
      while (!wanted.signal.aborted && ring.timeAt(ring.first) > shownTime.at && (await read()));
      if (wanted.signal.aborted) return;
      show(ring.lineAt(shownTime.at));
      frame.current?.scrollIntoView({ block: 'nearest' });
    };
    void scroll();
    return () => wanted.abort();
  }, [frame, view, shownTime, session]);
}
