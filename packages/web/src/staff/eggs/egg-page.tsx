import '../../style/pages.css';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Egg } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useStaffRights } from '../../api/queries.js';
import { useChange, useData } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { FieldFrame, Form, type Problems } from '../../ui/form.js';
import { Card, Page } from '../../ui/page.js';
import { Loaded } from '../../ui/states.js';
import { useToasts } from '../../ui/toasts.js';
import { ApplyEgg } from './apply-egg.js';
import { checkEgg, isSavable } from './check-egg.js';
import { bodyOf, draftOf, type EggBody, type EggDraft } from './egg-draft.js';
import { VariableList } from './variable-list.js';

export function EggPage({ id }: { readonly id: string }) {
  const { t } = useI18n();
  const egg = useData(
    ['staff', 'eggs', 'one', id],
    async (client) => (await client.get('/admin/eggs/{id}', { params: { id } })).data,
  );
  return (
    <Page title={egg.data?.name ?? t('staff.egg')} back={{ to: '/staff/eggs', label: t('nav.eggs') }}>
      <Loaded query={egg} rows={8}>
        {(data) => <EggEditor key={data.id} egg={data} />}
      </Loaded>
    </Page>
  );
}

function EggEditor({ egg }: { readonly egg: Egg }) {
  const { t } = useI18n();
  const { may } = useStaffRights();
  const toasts = useToasts();
  const queries = useQueryClient();
  const saved = useMemo(() => draftOf(egg), [egg]);
  // Typed text survives a reload.
  const [typed, setTyped] = useState<EggDraft | null>(null);
  const draft = typed ?? saved;
  const [isApplying, setIsApplying] = useState(false);
  const save = useChange(
    async (client, body: EggBody) => (await client.put('/admin/eggs/{id}', { params: { id: egg.id }, body })).data,
  );
  const found = checkEgg(draft);
  const own: Problems = Object.fromEntries(
    Object.entries(found).map(([field, { key, value }]) => [field, [t(key, { value })]]),
  );
  const denial = !may('eggs.update') && t('staff.why', { right: 'eggs.update' });
  const change = (changed: Partial<EggDraft>): void => setTyped((old) => ({ ...(old ?? saved), ...changed }));
  return (
    <>
      <Form
        fields={[]}
        action={t('action.save')}
        why={denial || (!isSavable(found) && t('staff.egg-problems', { count: Object.keys(found).length }))}
        onSubmit={async () => {
          queries.setQueryData(['staff', 'eggs', 'one', egg.id], await save.mutateAsync(bodyOf(draft, egg)));
          setTyped((now) => (now === draft ? null : now));
          void queries.invalidateQueries({ queryKey: ['staff', 'eggs'] });
          void queries.invalidateQueries({ queryKey: ['staff', 'nests'] });
          toasts.show(t('action.saved'));
        }}
      >
        {(refused) => <EggFields draft={draft} problems={{ ...refused, ...own }} onChange={change} />}
      </Form>
      <Card title={t('staff.egg-apply')}>
        <p>{t('staff.egg-apply-text')}</p>
        <div className="actions">
          <Button why={denial} onClick={() => setIsApplying(true)}>
            {t('staff.egg-apply')}
          </Button>
        </div>
      </Card>
      {isApplying ? <ApplyEgg egg={egg} onClose={() => setIsApplying(false)} /> : null}
    </>
  );
}

interface EggFieldsProps {
  readonly draft: EggDraft;
  readonly problems: Problems;
  readonly onChange: (changed: Partial<EggDraft>) => void;
}

type TextField = Exclude<keyof EggDraft, 'variables'>;

function EggFields({ draft, problems, onChange }: EggFieldsProps) {
  const { t } = useI18n();
  /** Includes subfields, such as docker_images.Java 21. */
  const of = (name: string): readonly string[] =>
    Object.entries(problems).flatMap(([field, messages]) =>
      field === name || field.startsWith(`${name}.`) ? messages : [],
    );
  const line = (name: TextField, label: string, field: string, hint?: string) => (
    <FieldFrame label={label} hint={hint} problems={of(field)}>
      {(attributes) => (
        <input
          {...attributes}
          value={draft[name]}
          dir={name === 'name' ? undefined : 'ltr'}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </FieldFrame>
  );
  const area = (name: TextField, label: string, field: string, hint?: string, rows = 3) => (
    <FieldFrame label={label} hint={hint} problems={of(field)} isWide>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={rows}
          spellCheck={name === 'description'}
          className={name === 'description' ? undefined : 'mono'}
          dir={name === 'description' ? undefined : 'ltr'}
          value={draft[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </FieldFrame>
  );
  return (
    <>
      <Card title={t('staff.egg-game')}>
        <div className="fields">
          {line('name', t('field.name'), 'name')}
          {area('description', t('field.description'), 'description')}
          {area('images', t('staff.egg-images'), 'docker_images', t('staff.egg-images-hint'))}
        </div>
      </Card>
      <Card title={t('server.startup')}>
        <div className="fields">
          {area('startup', t('startup.command'), 'startup', t('staff.egg-startup-hint'))}
          {area('commands', t('staff.egg-commands'), 'startup_commands', t('staff.egg-commands-hint'))}
          {area('done', t('staff.egg-done'), 'config.startup', t('staff.egg-done-hint'), 2)}
          {line('stop', t('staff.egg-stop'), 'config.stop', t('staff.egg-stop-hint'))}
        </div>
      </Card>
      <Card title={t('startup.variables')}>
        <VariableList
          variables={draft.variables}
          problems={problems}
          onChange={(variables) => onChange({ variables })}
        />
      </Card>
      <Card title={t('staff.egg-install')}>
        <div className="fields">
          {line('container', t('settings.image'), 'script.container')}
          {line('entrypoint', t('staff.egg-entrypoint'), 'script.entrypoint', t('staff.egg-entrypoint-hint'))}
          {area('install', t('staff.egg-script'), 'script.install', undefined, 10)}
        </div>
      </Card>
      <Card title={t('server.files')}>
        <div className="fields">
          {area('configFiles', t('staff.egg-config-files'), 'config.files', t('staff.egg-config-files-hint'), 8)}
          {area('denylist', t('staff.egg-denylist'), 'file_denylist', t('staff.egg-denylist-hint'))}
        </div>
      </Card>
    </>
  );
}
