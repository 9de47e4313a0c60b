import { useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { callTexts } from '../i18n/texts/calls/calls-texts.js';
import { asCurl, asTypeScript } from '../api/call-text.js';
import { useApi } from '../api/context.js';
import type { RecordedCall } from '../api/recorder.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Empty } from '../ui/states.js';

export function CallsDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useI18n();
  return (
    <Dialog title={t('nav.calls')} size="large" onClose={onClose}>
      <CallList />
    </Dialog>
  );
}

const CallList = withTexts([callTexts], Calls);

function Calls() {
  const { t, time } = useI18n();
  const { callLog } = useApi();
  const [areReadsShown, setAreReadsShown] = useState(false);
  const changes = callLog.calls.filter(({ method }) => method !== 'GET');
  const shown = areReadsShown ? callLog.calls : changes;
  const [chosen, setChosen] = useState<RecordedCall | null>(changes[0] ?? null);
  return (
    <div className="stack">
      <p>{t('calls.text')}</p>
      <label className="row">
        <input
          type="checkbox"
          checked={areReadsShown}
          onChange={(event) => setAreReadsShown(event.currentTarget.checked)}
        />
        {t('calls.with-reads')}
      </label>
      {shown.length === 0 ? <Empty text={t('calls.none')} /> : null}
      <ul className="calls">
        {shown.map((call) => (
          <li key={call.id}>
            <button type="button" aria-pressed={call === chosen} onClick={() => setChosen(call)}>
              <code>
                {call.method} {call.path}
              </code>
              <span className="faint">{time(call.at)}</span>
            </button>
          </li>
        ))}
      </ul>
      {chosen ? (
        <>
          <Code title="curl" text={asCurl(chosen, location.origin)} />
          <Code title="TypeScript" text={asTypeScript(chosen, location.origin)} />
        </>
      ) : null}
    </div>
  );
}

function Code({ title, text }: { readonly title: string; readonly text: string }) {
  const { t } = useI18n();
  const [isCopied, setIsCopied] = useState(false);
  return (
    <section className="stack">
      <header className="card-head">
        <h3>{title}</h3>
        <Button
          onClick={() => {
            void navigator.clipboard.writeText(text);
            setIsCopied(true);
          }}
        >
          {isCopied ? t('action.copied') : t('action.copy')}
        </Button>
      </header>
      <pre className="mono code" dir="ltr" tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </section>
  );
}
