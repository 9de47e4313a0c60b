import { SendHorizontal } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo, useState, useSyncExternalStore } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useLiveStatus, useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { ConfirmLater } from '../ui/confirm-later.js';
import { useToasts } from '../ui/toasts.js';
import { CommandHistory } from './command-history.js';

/** Arrows recall commands; pasting several lines requires a confirmation. */
export function Prompt() {
  const { t, maybe } = useI18n();
  const { session, id, why } = useServer();
  const toasts = useToasts();
  const status = useLiveStatus();
  const [text, setText] = useState('');
  const [pasted, setPasted] = useState<readonly string[] | null>(null);
  const history = useMemo(() => new CommandHistory(id), [id]);
  const { error, waitingCommands } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  useEffect(() => {
    if (error) toasts.show(maybe(`error.${error.code}`, error.message), { kind: 'error' });
  }, [error, toasts, maybe]);
  const restoreCommand = useEffectEvent(() => {
    const { unanswered } = session.snapshot;
    if (!unanswered) return;
    session.forgetUnanswered();
    setText((typed) => typed || unanswered.command);
    toasts.show(t('console.not-connected'), { kind: 'error' });
  });
  useEffect(() => session.subscribe(() => restoreCommand()), [session]);

  const reason = why('control.console') ?? (status === 'running' || status === 'starting' ? null : t('why.offline'));
  const send = (): void => {
    const command = text.trim();
    if (command === '' || reason !== null) return;
    if (!session.send(command)) {
      toasts.show(t('console.not-connected'), { kind: 'error' });
      return;
    }
    history.add(command);
    setText('');
  };
  return (
    <form
      className="console-prompt"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <input
        value={text}
        aria-label={t('console.command')}
        placeholder={reason ?? t('console.command')}
        readOnly={reason !== null}
        maxLength={4096}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="send"
        onChange={(event) => {
          setText(event.target.value);
          history.reset();
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowUp') {
            event.preventDefault();
            setText(history.previous(text));
          } else if (event.key === 'ArrowDown') {
            event.preventDefault();
            setText(history.next());
          }
        }}
        onPaste={(event) => {
          const lines = event.clipboardData
            .getData('text')
            .split(/\r?\n/)
            .filter((line) => line.trim() !== '');
          if (lines.length < 2) return;
          event.preventDefault();
          setPasted(lines);
        }}
      />
      {waitingCommands > 0 ? (
        <Button onClick={() => session.commands.cancel()}>
          {t('console.cancel-queue', { count: waitingCommands })}
        </Button>
      ) : null}
      <Button type="submit" kind="quiet" label={t('console.send')} icon={<SendHorizontal />} why={reason} />
      {pasted ? (
        <ConfirmLater
          title={t('console.paste-title')}
          text={t('console.paste-text', { count: pasted.length })}
          action={t('console.send')}
          onConfirm={async () => session.commands.add(pasted)}
          onClose={() => setPasted(null)}
        >
          <pre className="mono prose">{pasted.slice(0, 10).join('\n')}</pre>
        </ConfirmLater>
      ) : null}
    </form>
  );
}
