import { type DragEvent, useRef, useState } from 'react';
import type { Egg, Nest } from '@panel/client';
import { saveText } from '../../ui/download.js';
import { useI18n } from '../../i18n/i18n.js';
import { useApi } from '../../api/context.js';
import { collect } from '../../api/pages.js';
import { useStaffRights } from '../../api/queries.js';
import { newKey, useChange, useData } from '../../api/use-data.js';
import { Link, useLocation } from 'wouter';
import { Button } from '../../ui/button.js';
import { useConfirm } from '../../ui/confirm-later.js';
import { FormDialog } from '../../ui/form-dialog.js';
import { Menu } from '../../ui/menu.js';
import { Card, Page } from '../../ui/page.js';
import { Empty, ErrorNote, Loaded } from '../../ui/states.js';
import { ResourceTable } from '../../ui/table.js';
import { useToasts } from '../../ui/toasts.js';

const stale = [
  ['staff', 'nests'],
  ['staff', 'eggs'],
];

/** Dropping a file anywhere imports it. */
export function EggsPage() {
  const { t } = useI18n();
  const { may } = useStaffRights();
  const toasts = useToasts();
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>(null);
  const [isCreating, setIsCreating] = useState(false);
  const [nestId, setNestId] = useState<string | null>(null);
  const why = (right: string) => !may(right) && t('staff.why', { right });
  const nests = useData(['staff', 'nests'], async (client) => collect(client.pages('/admin/nests')));
  const create = useChange(
    async (client, name: string) => client.post('/admin/nests', { body: { name }, idempotencyKey: newKey() }),
    stale,
  );
  const importEgg = useChange(async (client, file: File) => {
    const isYaml = /\.ya?ml$/i.test(file.name);
    const bytes = await file.text();
    const query = nestId === null ? {} : { nest_id: nestId };
    return (
      await client.post('/admin/eggs/import', { query, bytes, type: isYaml ? 'application/yaml' : 'application/json' })
    ).data;
  }, stale);
  const importAll = async (files: Iterable<File>): Promise<void> => {
    setError(null);
    try {
      for (const file of files) {
        const { name, warnings } = await importEgg.mutateAsync(file);
        const words = warnings.join(' ');
        toasts.show(t(words === '' ? 'staff.egg-imported' : 'staff.egg-imported-warnings', { name, words }));
      }
    } catch (thrown) {
      setError(thrown);
    }
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    void importAll([...event.dataTransfer.files]);
  };
  return (
    <div onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <Page
        title={t('nav.eggs')}
        actions={
          <>
            <Button why={why('nests.create')} onClick={() => setIsCreating(true)}>
              {t('staff.create-nest')}
            </Button>
            <Button
              kind="primary"
              isBusy={importEgg.isPending}
              why={why('eggs.import')}
              onClick={() => input.current?.click()}
            >
              {t('staff.import-egg')}
            </Button>
          </>
        }
      >
        <input
          ref={input}
          type="file"
          accept=".json,.yaml,.yml"
          multiple
          hidden
          aria-label={t('staff.import-egg')}
          onChange={(event) => void importAll([...(event.target.files ?? [])])}
        />
        <p className="faint">{t('staff.import-hint')}</p>
        {error ? <ErrorNote error={error} /> : null}
        <Loaded query={nests}>
          {(list) => {
            const shown =
              list.find(({ id }) => id === nestId) ?? list.find(({ eggs_count }) => eggs_count > 0) ?? list[0];
            return (
              <>
                <div className="toolbar" role="group" aria-label={t('staff.nests')}>
                  {list.map((nest) => (
                    <Button key={nest.id} aria-pressed={nest.id === shown?.id} onClick={() => setNestId(nest.id)}>
                      {nest.name} ({nest.eggs_count})
                    </Button>
                  ))}
                </div>
                {shown ? <Eggs key={shown.id} nest={shown} /> : <Empty text={t('staff.no-eggs')} />}
              </>
            );
          }}
        </Loaded>
        {isCreating ? (
          <FormDialog
            title={t('staff.create-nest')}
            action={t('staff.create-nest')}
            onClose={() => setIsCreating(false)}
            fields={[{ name: 'name', label: t('field.name'), isRequired: true, isWide: true }]}
            onSubmit={async ({ name }) => create.mutateAsync(String(name))}
          />
        ) : null}
      </Page>
    </div>
  );
}

function Eggs({ nest }: { readonly nest: Nest }) {
  const { t } = useI18n();
  const { may } = useStaffRights();
  const api = useApi();
  const toasts = useToasts();
  const [, navigate] = useLocation();
  const { confirm, dialog } = useConfirm();
  const why = (right: string) => !may(right) && t('staff.why', { right });
  const { id } = nest;
  const remove = useChange(
    async (client, egg_id: string) => client.delete('/admin/eggs/{id}', { params: { id: egg_id } }),
    stale,
  );
  const download = async (egg: Egg): Promise<void> => {
    try {
      const response = await api.call(async (client) =>
        client.download('/admin/eggs/{id}/export', { params: { id: egg.id } }),
      );
      saveText(`egg-${egg.name}.json`, await response.text());
    } catch (error) {
      toasts.showError(error);
    }
  };
  const askToRemove = (removing: Egg) =>
    confirm({
      title: t('staff.delete-egg'),
      text: t('staff.delete-egg-text'),
      action: t('action.remove'),
      typed: removing.name,
      onConfirm: async () => remove.mutateAsync(removing.id),
    });
  return (
    <Card title={nest.name}>
      <ResourceTable
        label={nest.name}
        queryKey={['staff', 'eggs', id]}
        read={async (client, query) => client.get('/admin/nests/{id}/eggs', { params: { id }, query })}
        hasSearch
        empty={t('staff.no-eggs')}
        idOf={(egg) => egg.id}
        columns={[
          { label: t('field.name'), cell: (egg) => <Link to={`/staff/eggs/${egg.id}`}>{egg.name}</Link>, isName: true },
          { label: t('field.description'), cell: ({ description }) => description },
          { label: t('staff.author'), cell: ({ author }) => author },
          { label: t('startup.variables'), cell: ({ variables }) => variables.length, isNumber: true },
        ]}
        actions={(egg) => (
          <Menu
            label={t('servers.actions', { name: egg.name })}
            items={[
              { label: t('action.edit'), why: why('eggs.update'), act: () => navigate(`/staff/eggs/${egg.id}`) },
              { label: t('staff.export'), why: why('eggs.export'), act: () => void download(egg) },
              { label: t('action.remove'), isDanger: true, why: why('eggs.delete'), act: () => askToRemove(egg) },
            ]}
          />
        )}
      />
      {dialog}
    </Card>
  );
}
