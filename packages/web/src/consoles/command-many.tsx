import { type FormEvent, useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useApi } from '../api/context.js';
import { Button } from '../ui/button.js';
import { errorText } from '../ui/states.js';

export interface CommandTarget {
  readonly id: string;
  readonly name: string;
}

type Result =
  { readonly kind: 'sending' } | { readonly kind: 'sent' } | { readonly kind: 'failed'; readonly error: unknown };

interface Sent {
  readonly number: number;
  readonly command: string;
  readonly targets: readonly CommandTarget[];
  readonly results: ReadonlyMap<string, Result>;
}

export function CommandMany({ targets }: { readonly targets: readonly CommandTarget[] }) {
  const i18n = useI18n();
  const { t } = i18n;
  const api = useApi();
  const [text, setText] = useState('');
  const [sent, setSent] = useState<Sent | null>(null);

  const send = async ({ number, command }: Sent, to: readonly CommandTarget[]): Promise<void> => {
    // An earlier command's result must not show for the current one.
    const set = (id: string, result: Result): void =>
      setSent((shown) =>
        shown?.number === number ? { ...shown, results: new Map(shown.results).set(id, result) } : shown,
      );
    for (const { id } of to) set(id, { kind: 'sending' });
    await Promise.all(
      to.map(async ({ id }) => {
        try {
          await api.call(async (client) => client.post('/servers/{id}/command', { params: { id }, body: { command } }));
          set(id, { kind: 'sent' });
        } catch (error) {
          set(id, { kind: 'failed', error });
        }
      }),
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const command = text.trim();
    if (command === '' || targets.length === 0) return;
    const next = { number: (sent?.number ?? 0) + 1, command, targets, results: new Map() };
    setSent(next);
    setText('');
    void send(next, targets);
  };
  const failed = sent?.targets.filter(({ id }) => sent.results.get(id)?.kind === 'failed') ?? [];
  return (
    <div className="stack">
      <form className="row command-many" onSubmit={submit}>
        <input
          value={text}
          aria-label={t('consoles.command')}
          placeholder={t('consoles.command')}
          maxLength={4096}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          dir="ltr"
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" kind="primary" why={targets.length === 0 && t('consoles.no-targets')}>
          {t('consoles.send', { count: targets.length })}
        </Button>
      </form>
      {sent ? (
        <section className="card" aria-live="polite">
          <header className="card-head">
            <h3>
              <code dir="ltr">{sent.command}</code>
            </h3>
            {failed.length > 0 ? (
              <Button onClick={() => void send(sent, failed)}>
                {t('consoles.retry-failed', { count: failed.length })}
              </Button>
            ) : null}
          </header>
          <ul className="results">
            {sent.targets.map(({ id, name }) => {
              const result = sent.results.get(id);
              return (
                <li key={id} data-kind={result?.kind}>
                  <strong>
                    <bdi>{name}</bdi>
                  </strong>{' '}
                  {result?.kind === 'failed'
                    ? errorText(result.error, i18n)
                    : t(`consoles.${result?.kind ?? 'sending'}`)}
                </li>
              );
            })}
          </ul>
        </section>
      ) : null}
    </div>
  );
}
