import { useState } from 'react';
import type { Registry } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useCreate } from '../../api/use-data.js';
import { FormDialog } from '../../ui/form-dialog.js';
import { FieldFrame, type Problems } from '../../ui/form.js';
import { useEggChoices } from '../choices.js';
import { DockerConfigField } from './docker-config-field.js';
import { bodyOf, draftOf, type LoginKind, needsSecret, type RegistryDraft, withLogin } from './registry-draft.js';

interface RegistryDialogProps {
  /** Null: a new one. */
  readonly registry: Registry | null;
  readonly onClose: () => void;
}

export function RegistryDialog({ registry, onClose }: RegistryDialogProps) {
  const { t } = useI18n();
  const eggs = useEggChoices();
  const [draft, setDraft] = useState(() => draftOf(registry));
  const save = useCreate(
    async (client, values: RegistryDraft, idempotencyKey): Promise<unknown> => {
      const body = bodyOf(values);
      return registry
        ? client.put('/admin/registries/{id}', { params: { id: registry.id }, body })
        : client.post('/admin/registries', { body, idempotencyKey });
    },
    [['staff', 'registries']],
  );
  const change = (changed: Partial<RegistryDraft>): void => setDraft((old) => ({ ...old, ...changed }));
  return (
    <FormDialog
      isLoading={eggs.isLoading}
      title={registry?.host ?? t('registries.add')}
      action={registry ? t('action.save') : t('registries.add')}
      fields={[]}
      onClose={onClose}
      onSubmit={async () => save.mutateAsync(draft)}
    >
      {(problems) => (
        <>
          <RegistryFields
            draft={draft}
            isSecretNeeded={needsSecret(draft, registry)}
            eggs={eggs.list}
            problems={problems}
            onChange={change}
          />
          <DockerConfigField onLogin={(login) => setDraft((old) => withLogin(old, login))} />
        </>
      )}
    </FormDialog>
  );
}

interface RegistryFieldsProps {
  readonly draft: RegistryDraft;
  readonly isSecretNeeded: boolean;
  readonly eggs: ReturnType<typeof useEggChoices>['list'];
  readonly problems: Problems;
  readonly onChange: (changed: Partial<RegistryDraft>) => void;
}

const kinds: readonly LoginKind[] = ['password', 'identity_token'];

function RegistryFields({ draft, isSecretNeeded, eggs, problems, onChange }: RegistryFieldsProps) {
  const { t } = useI18n();
  const secret = (name: 'password' | 'token', field: string, label: string) => (
    <FieldFrame
      label={label}
      isRequired={isSecretNeeded}
      hint={isSecretNeeded ? t(`registries.${name}-hint`) : t('registries.keep')}
      problems={problems[field]}
    >
      {(attributes) => (
        <input
          {...attributes}
          type="password"
          autoComplete="new-password"
          required={isSecretNeeded}
          placeholder={isSecretNeeded ? undefined : t('registries.unchanged')}
          value={draft[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </FieldFrame>
  );
  return (
    <div className="fields">
      <FieldFrame label={t('registries.host')} isRequired hint={t('registries.host-hint')} problems={problems['host']}>
        {(attributes) => (
          <input
            {...attributes}
            required
            dir="ltr"
            autoComplete="off"
            value={draft.host}
            onChange={({ target }) => onChange({ host: target.value })}
          />
        )}
      </FieldFrame>
      <FieldFrame label={t('server.game')} problems={problems['egg_id']}>
        {(attributes) => (
          <select {...attributes} value={draft.eggId} onChange={({ target }) => onChange({ eggId: target.value })}>
            <option value="">{t('registries.all-eggs')}</option>
            {eggs.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
      <FieldFrame label={t('registries.kind')}>
        {(attributes) => (
          <select
            {...attributes}
            value={draft.kind}
            onChange={({ target }) => onChange({ kind: kinds.find((kind) => kind === target.value) ?? 'password' })}
          >
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {t(`registries.kind-${kind}`)}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
      {draft.kind === 'identity_token' ? (
        secret('token', 'identity_token', t('registries.token'))
      ) : (
        <>
          <FieldFrame label={t('field.username')} isRequired problems={problems['username']}>
            {(attributes) => (
              <input
                {...attributes}
                required
                autoComplete="off"
                value={draft.username}
                onChange={({ target }) => onChange({ username: target.value })}
              />
            )}
          </FieldFrame>
          {secret('password', 'password', t('field.password'))}
        </>
      )}
    </div>
  );
}
