import { useState } from 'react';
import { useI18n } from '../../i18n/i18n.js';
import { FieldFrame } from '../../ui/form.js';
import { type DockerLogin, readDockerConfig } from './docker-config.js';

/** Hands on the login of a pasted config.json; of several the chosen one. The pasted text does not stay. */
export function DockerConfigField({ onLogin }: { readonly onLogin: (login: DockerLogin) => void }) {
  const { t } = useI18n();
  const [text, setText] = useState('');
  const [filled, setFilled] = useState<string | null>(null);
  const config = text.trim() === '' ? null : readDockerConfig(text);
  const logins = config !== null && 'logins' in config ? config.logins : [];
  const take = (login: DockerLogin | undefined): void => {
    if (!login) return;
    setText('');
    setFilled(login.host);
    onLogin(login);
  };
  const read = (given: string): void => {
    setFilled(null);
    setText(given);
    const found = readDockerConfig(given);
    if ('logins' in found && found.logins.length === 1) take(found.logins[0]);
  };
  return (
    <div className="stack">
      <FieldFrame
        label={t('registries.config')}
        isWide
        hint={t('registries.config-hint')}
        problems={config !== null && 'problem' in config ? [t(`registries.config-${config.problem}`)] : []}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            rows={3}
            className="mono"
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={({ target }) => read(target.value)}
          />
        )}
      </FieldFrame>
      {logins.length > 1 ? (
        <FieldFrame label={t('registries.config-choose')}>
          {(attributes) => (
            <select {...attributes} value="" onChange={({ target }) => take(logins[Number(target.value)])}>
              <option value="" disabled>
                –
              </option>
              {logins.map(({ host }, index) => (
                <option key={host} value={index}>
                  {host}
                </option>
              ))}
            </select>
          )}
        </FieldFrame>
      ) : null}
      <p role="status">{filled === null ? '' : t('registries.config-filled', { host: filled })}</p>
    </div>
  );
}
