import { File as FileIcon, FileArchive, Folder, Link2 } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { FileEntry } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { Empty, ErrorNote, Skeleton } from '../parts/states.js';
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
  readonly menu: (entry: FileEntry) => ReactNode;
}

/** Rows of a directory. Only those that are seen are elements, however many entries there are. */
export function FileList(props: FileListProps) {
  const { listing, label, onRange, onDrop } = props;
  const { t } = useI18n();
  const frame = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, to: 40 });
  const [isOver, setIsOver] = useState(false);
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
    <div
      ref={frame}
      className="file-list"
      role="group"
      aria-label={label}
      tabIndex={0}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
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

function FileRow({ entry, index, selected, isHidden, onSelect, onOpen, menu }: FileRowProps) {
  const { t, bytes, date } = useI18n();
  const style = { insetBlockStart: index * rowHeight };
  if (!entry) return <div className="file-row skeleton" style={style} />;
  if (isHidden(entry.name)) return null;
  const isSelected = selected.has(entry.name);
  const Icon = entry.is_symlink ? Link2 : !entry.is_file ? Folder : isArchive(entry.name) ? FileArchive : FileIcon;
  return (
    <div className="file-row" style={style} data-selected={isSelected || undefined}>
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
