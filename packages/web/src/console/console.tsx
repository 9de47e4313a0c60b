import { ArrowDownToLine } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { Announcer } from './announcer.js';
import { ConnectionNote } from './connection-note.js';
import { ConsoleBar } from './console-bar.js';
import { useConsoleSettings } from './console-settings.js';
import { Prompt } from './prompt.js';
import { useLineSearch } from './use-line-search.js';
import { useLineView, useScrollToTime } from './use-line-view.js';
import type { ShownTime } from './use-shown-time.js';

interface ConsoleProps {
  readonly shownTime: ShownTime | null;
}

export function Console({ shownTime }: ConsoleProps) {
  const { t } = useI18n();
  const frame = useRef<HTMLDivElement>(null);
  const { settings, changeSettings } = useConsoleSettings();
  const lines = useLineView(frame);
  const search = useLineSearch(lines);
  const { view } = lines;
  useScrollToTime(frame, lines, shownTime);
  // Wrapping depends on the measured size.
  useEffect(() => view?.setWrap(settings.isWrapped), [view, settings]);
  useEffect(() => view?.setFolded(settings.isFolded), [view, settings.isFolded]);
  return (
    <section className="console-frame stack" aria-label={t('server.console')}>
      <ConnectionNote />
      <div
        className="console"
        data-wrap={settings.isWrapped || undefined}
        data-times={settings.hasTimes ? 'on' : 'off'}
        data-size={settings.size}
      >
        <ConsoleBar lines={lines} search={search} settings={settings} onSettings={changeSettings} />
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
      {lines.follows ? null : (
        <div className="console-tail">
          <Button kind="primary" icon={<ArrowDownToLine />} onClick={() => view?.follow()}>
            {t('console.follow')}
          </Button>
        </div>
      )}
      <Announcer />
    </section>
  );
}
