import { AArrowUp, Clock, Download, Filter, FoldVertical, History, UnfoldVertical, WrapText } from 'lucide-react';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { saveText } from '../ui/download.js';
import { useToasts } from '../ui/toasts.js';
import { type ConsoleSettings, nextSize } from './console-settings.js';
import { linesAsText } from './lines-as-text.js';
import type { LineSearch } from './use-line-search.js';
import type { Lines } from './use-line-view.js';

interface ConsoleBarProps {
  readonly lines: Lines;
  readonly search: LineSearch;
  readonly settings: ConsoleSettings;
  readonly onSettings: (change: Partial<ConsoleSettings>) => void;
}

export function ConsoleBar({ lines, search, settings, onSettings }: ConsoleBarProps) {
  return (
    <div className="console-bar">
      <SearchField search={search} />
      <SettingButtons settings={settings} onSettings={onSettings} />
      <LineButtons lines={lines} />
      <MarkedButtons lines={lines} />
    </div>
  );
}

function SearchField({ search }: { readonly search: LineSearch }) {
  const { t } = useI18n();
  const { isFilter, hasContext } = search;
  return (
    <>
      <label className="search">
        <span className="only-read">{t('console.search')}</span>
        <input
          type="search"
          placeholder={t('console.search')}
          title={t('console.search-hint')}
          value={search.text}
          onChange={(event) => search.setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') search.find(event.shiftKey ? 1 : -1);
          }}
          data-search
        />
      </label>
      <Button
        kind="quiet"
        label={t('console.filter')}
        icon={<Filter />}
        aria-pressed={isFilter}
        onClick={() => search.setIsFilter(!isFilter)}
      />
      {isFilter ? (
        <Button
          kind="quiet"
          label={t('console.context')}
          icon={<UnfoldVertical />}
          aria-pressed={hasContext}
          onClick={() => search.setHasContext(!hasContext)}
        />
      ) : null}
    </>
  );
}

function SettingButtons({ settings, onSettings }: Pick<ConsoleBarProps, 'settings' | 'onSettings'>) {
  const { t } = useI18n();
  const { isWrapped, hasTimes, isFolded, size } = settings;
  return (
    <>
      <Button
        kind="quiet"
        label={t('console.wrap')}
        icon={<WrapText />}
        aria-pressed={isWrapped}
        onClick={() => onSettings({ isWrapped: !isWrapped })}
      />
      <Button
        kind="quiet"
        label={t('console.fold')}
        icon={<FoldVertical />}
        aria-pressed={isFolded}
        onClick={() => onSettings({ isFolded: !isFolded })}
      />
      <Button
        kind="quiet"
        label={t('console.times')}
        icon={<Clock />}
        aria-pressed={hasTimes}
        onClick={() => onSettings({ hasTimes: !hasTimes })}
      />
      <Button
        kind="quiet"
        label={t(`console.size-${size}`)}
        icon={<AArrowUp />}
        onClick={() => onSettings({ size: nextSize(size) })}
      />
    </>
  );
}

function LineButtons({ lines: { view, readOlder } }: { readonly lines: Lines }) {
  const { t } = useI18n();
  const { session, server } = useServer();
  const toasts = useToasts();
  const { ring } = session;
  const showOlder = async (): Promise<void> => {
    if (await readOlder()) view?.show(ring.first);
    else toasts.show(t('console.no-older'));
  };
  return (
    <>
      <Button kind="quiet" label={t('console.older')} icon={<History />} onClick={() => void showOlder()} />
      <Button
        kind="quiet"
        label={t('console.save')}
        icon={<Download />}
        onClick={() => saveText(`${server.name}.log`, linesAsText(ring, ring.first, ring.next))}
      />
    </>
  );
}

function MarkedButtons({ lines: { marked, setMarked } }: { readonly lines: Lines }) {
  const { t } = useI18n();
  const { session, id } = useServer();
  const toasts = useToasts();
  if (!marked) return null;
  const [from, to] = marked;
  return (
    <>
      <Button
        onClick={() => {
          void navigator.clipboard.writeText(linesAsText(session.ring, from, to + 1));
          setMarked(null);
        }}
      >
        {t('console.copy-lines', { count: to - from + 1 })}
      </Button>
      <Button
        onClick={() => {
          const address = `${location.origin}/servers/${id}?at=${session.ring.timeAt(from)}`;
          void navigator.clipboard.writeText(address);
          toasts.show(t('console.link-copied'));
        }}
      >
        {t('console.copy-link')}
      </Button>
    </>
  );
}
