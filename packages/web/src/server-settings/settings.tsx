import { useState } from 'react';
import { useLocation } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/confirm.js';
import { CopyText } from '../ui/copy.js';
import { Form } from '../ui/form.js';
import { Card, Facts } from '../ui/page.js';
import { useToasts } from '../ui/toasts.js';
import { useServer } from '../server/server-context.js';

export function ServerSettings() {
  const i18n = useI18n();
  const { t, number } = i18n;
  const { id, server, why } = useServer();
  const toasts = useToasts();
  const [, navigate] = useLocation();
  const [isReinstalling, setIsReinstalling] = useState(false);
  const rename = useChange(
    async (client, body: { name: string; description: string }) =>
      client.put('/servers/{id}', { params: { id }, body }),
    [['server', id], ['servers']],
  );
  const reinstall = useChange(
    async (client) => client.post('/servers/{id}/reinstall', { params: { id } }),
    [['server', id]],
  );
  const { limits } = server;
  const size = (mb: number): string => (mb === 0 ? t('limit.none') : i18n.bytes(mb * 1024 ** 2));
  return (
    <>
      <Card title={t('settings.name')}>
        <Form
          fields={[
            { name: 'name', label: t('field.name'), value: server.name, isRequired: true, maxLength: 191 },
            { name: 'description', label: t('field.description'), value: server.description, type: 'area' },
          ]}
          action={t('action.save')}
          why={why('settings.rename')}
          onSubmit={async ({ name, description }) => {
            await rename.mutateAsync({ name: String(name), description: String(description) });
            toasts.show(t('action.saved'));
          }}
        />
      </Card>
      <Card title={t('settings.limits')}>
        <Facts
          facts={[
            [t('resource.memory'), size(limits.memory)],
            [t('resource.disk'), size(limits.disk)],
            [t('resource.cpu'), limits.cpu === 0 ? t('limit.none') : `${number(limits.cpu)} %`],
            [t('settings.image'), <code key="image">{server.docker_image}</code>],
            [t('server.id'), <CopyText key="id" text={server.id} />],
          ]}
        />
      </Card>
      <Card title={t('settings.reinstall')}>
        <p>{t('settings.reinstall-text')}</p>
        <div className="actions">
          <Button kind="danger" why={why('settings.reinstall')} onClick={() => setIsReinstalling(true)}>
            {t('settings.reinstall')}
          </Button>
        </div>
      </Card>
      {isReinstalling ? (
        <Confirm
          title={t('settings.reinstall')}
          text={t('settings.reinstall-text')}
          action={t('settings.reinstall')}
          typed={server.name}
          onConfirm={async () => {
            await reinstall.mutateAsync(undefined);
            navigate(`/servers/${id}/install-log`);
          }}
          onClose={() => setIsReinstalling(false)}
        />
      ) : null}
    </>
  );
}
