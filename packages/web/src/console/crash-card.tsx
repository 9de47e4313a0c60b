import { lazy, Suspense } from 'react';
import { plainText } from './sgr.js';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { Card, Facts } from '../ui/page.js';
import { useServer } from '../server/server-context.js';
import { useNow } from '../ui/use-now.js';
import { useServerEvents } from '../activity/server-events.js';

const ChangeList = lazy(async () => ({ default: (await import('../activity/change-list.js')).ChangeList }));

const minuteMs = 60_000;
const recentMs = 30 * minuteMs;
const shownLines = 6;

export function CrashCard({ onShow }: { readonly onShow: (at: number) => void }) {
  const i18n = useI18n();
  const { t, relative } = i18n;
  const { session } = useServer();
  const events = useServerEvents();
  const now = useNow(minuteMs);
  const index = events.findIndex(({ event }) => event === 'server:crashed');
  const crash = events[index];
  const at = crash?.at ? Date.parse(crash.at) : 0;
  if (!crash || now - at > recentMs) return null;
  const { ring } = session;
  const end = ring.lineAt(at + 1_000);
  const lines: string[] = [];
  for (let line = Math.max(ring.first, end - shownLines); line < end; line++) lines.push(plainText(ring.rawAt(line)));
  const changes = events
    .slice(index + 1)
    .filter(({ event }) => !/power|console|auth/.test(event))
    .slice(0, 3);
  const memory = [...session.samples].reverse().find((sample) => sample.at <= at)?.memory;
  const facts = Object.entries(crash.properties).map(
    ([name, value]) => [i18n.maybe(`property.${name}`, name), value] as const,
  );
  return (
    <Card
      title={t('crash.title', { when: relative(crash.at) })}
      actions={<Button onClick={() => onShow(at)}>{t('crash.show-lines')}</Button>}
    >
      <Facts facts={memory === undefined ? facts : [...facts, [t('resource.memory'), i18n.bytes(memory)]]} />
      {lines.length > 0 ? <pre className="mono prose">{lines.join('\n')}</pre> : null}
      {changes.length > 0 ? (
        <>
          <h3>{t('crash.changes')}</h3>
          <Suspense fallback={null}>
            <ChangeList changes={changes} />
          </Suspense>
        </>
      ) : null}
    </Card>
  );
}
