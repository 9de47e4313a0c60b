import { File as FileIcon, FileArchive, Folder, Link2 } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { FileEntry } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { Empty, ErrorNote, Skeleton } from '../ui/states.js';
import type { EntryDrag } from './entry-drag.js';
import { type Listing } from './listing.js';
import { isArchive } from './paths.js';

const rowHeight = 44;
const spareRows = 8;

interface FileListProps {
  readonly listing: Listing;
  readonly label: string;
  readonly selected: ReadonlySet<string>;
  readonly isHidden: (name: string) => boolean;
  readonly onSelect: (name: string, isRange: boolean, index: number) => void;
  readonly onOpen: (entry: FileEntry) => void;
  readonly onRange: (from: number, to: number) => void;
  readonly onDrop: (items: DataTransferItemList) => void;
  /** On the first render, unless another element has the focus. */
  readonly takesFocus: boolean;
  readonly drag: EntryDrag;
  /** `to` is the next focused row. */
  readonly onKey: (key: RowKey, index: number, to: number) => void;
  readonly menu: (entry: FileEntry) => ReactNode;
}

export type RowKey = 'delete' | 'rename' | 'extend' | 'all';

function rowKeyOf({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): RowKey | null {
  if (key === 'Delete') return 'delete';
  if (key === 'F2') return 'rename';
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'a') return 'all';
  return shiftKey && (key === 'ArrowDown' || key === 'ArrowUp') ? 'extend' : null;
}

/** The row after a navigation key. */
function nextIndex(key: string, index: number, total: number, perPage: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + perPage,
    PageUp: index - perPage,
    Home: 0,
    End: total - 1,
  };
  const to = steps[key];
  return to === undefined ? null : Math.max(0, Math.min(total - 1, to));
}

/** Rows of a directory. Only visible rows are elements. */
export function FileList(props: FileListProps) {
  const { listing, label, onRange, onDrop, onKey, takesFocus } = props;
  const { t } = useI18n();
  const frame = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, to: 40 });
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (takesFocus && document.activeElement === document.body) frame.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const name = frame.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] .name`);
    name?.focus({ preventScroll: true });
    if (name) wanted.current = null;
  });
  const focusRow = (index: number): void => {
    const element = frame.current;
    if (!element) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
    wanted.current = index;
    setRange((old) => ({ ...old }));
  };
  const press = (event: KeyboardEvent): void => {
    const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('.file-row') : null;
    const isOnName = event.target instanceof HTMLElement && event.target.matches('.name');
    if (event.target === frame.current && event.key === 'ArrowDown' && listing.total > 0) {
      event.preventDefault();
      focusRow(Math.ceil((frame.current?.scrollTop ?? 0) / rowHeight));
    }
    if (!row || !isOnName) return;
    const index = Number(row.dataset.index);
    const perPage = Math.max(1, Math.floor((frame.current?.clientHeight ?? rowHeight) / rowHeight) - 1);
    const to = nextIndex(event.key, index, listing.total, perPage);
    const key = rowKeyOf(event);
    if (to === null && key === null) return;
    event.preventDefault();
    if (key !== null) onKey(key, index, to ?? index);
    if (to !== null) focusRow(to);
  };
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const update = (): void => {
      const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - spareRows);
      const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + spareRows;
      setRange((old) => (old.from === from && old.to === to ? old : { from, to }));
      onRange(from, to);
    };
    update();
    element.addEventListener('scroll', update, { passive: true });
    return () => element.removeEventListener('scroll', update);
  }, [onRange]);
  const rows: ReactNode[] = [];
  for (let index = range.from; index < Math.min(range.to, listing.total); index++) {
    rows.push(<FileRow key={index} {...props} index={index} entry={listing.entryAt(index)} />);
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the list takes the keys of all its rows
    <div
      ref={frame}
      className="file-list"
      role="group"
      aria-label={label}
      tabIndex={0}
      data-over={isOver || undefined}
      onKeyDown={press}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        setIsOver(false);
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        onDrop(event.dataTransfer.items);
      }}
    >
      {listing.error ? <ErrorNote error={listing.error} onRetry={listing.retry} /> : null}
      {listing.isLoading ? <Skeleton rows={8} /> : null}
      {!listing.isLoading && !listing.error && listing.total === 0 ? <Empty text={t('files.none')} /> : null}
      <div style={{ height: listing.total * rowHeight }}>{rows}</div>
    </div>
  );
}

interface FileRowProps extends FileListProps {
  readonly index: number;
  readonly entry: FileEntry | undefined;
}

function FileRow({ entry, index, selected, isHidden, onSelect, onOpen, drag, menu }: FileRowProps) {
  const { t, bytes, date } = useI18n();
  const style = { insetBlockStart: index * rowHeight };
  if (!entry) return <div className="file-row skeleton" style={style} />;
  if (isHidden(entry.name)) return null;
  const isSelected = selected.has(entry.name);
  const Icon = entry.is_symlink ? Link2 : !entry.is_file ? Folder : isArchive(entry.name) ? FileArchive : FileIcon;
  return (
    <div
      className="file-row"
      style={style}
      data-index={index}
      data-selected={isSelected || undefined}
      {...drag.source(entry.name)}
      {...(entry.is_file ? {} : drag.target(entry.name))}
    >
      <input
        type="checkbox"
        aria-label={t('servers.select', { name: entry.name })}
        checked={isSelected}
        onChange={(event) => onSelect(entry.name, (event.nativeEvent as MouseEvent).shiftKey, index)}
      />
      <Icon aria-hidden />
      <button type="button" className="name" onClick={() => onOpen(entry)}>
        <bdi>{entry.name}</bdi>
      </button>
      <span className="figure">{entry.is_file ? bytes(entry.size) : ''}</span>
      <span className="figure">{date(entry.modified_at)}</span>
      {menu(entry)}
    </div>
  );
}
