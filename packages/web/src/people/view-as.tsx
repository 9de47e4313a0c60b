import { collect } from '../api/pages.js';
import { useI18n } from '../i18n/i18n.js';
import { useData } from '../api/use-data.js';
import { Form } from '../ui/form.js';
import { Card } from '../ui/page.js';
import { Empty, Loaded } from '../ui/states.js';
import { useServer } from '../server/server-context.js';

/** Shows the server's pages with a subuser's permissions. */
export function ViewAs() {
  const { t } = useI18n();
  const { id, viewAs } = useServer();
  const subusers = useData(['server', id, 'subusers', 'view-as'], async (client) =>
    collect(client.pages('/servers/{id}/subusers', { params: { id } })),
  );
  return (
    <Card title={t('view-as.title')}>
      <p>{t('view-as.text')}</p>
      <Loaded query={subusers} rows={1}>
        {(data) =>
          data.length === 0 ? (
            <Empty text={t('view-as.none')} />
          ) : (
            <Form
              fields={[
                {
                  name: 'subuser',
                  label: t('view-as.who'),
                  type: 'select',
                  options: data.map(({ id: value, user }) => ({ value, label: user.username ?? user.email })),
                  value: data[0]?.id ?? '',
                },
              ]}
              action={t('view-as.title')}
              onSubmit={async ({ subuser }) => {
                const chosen = data.find((one) => one.id === subuser);
                if (chosen)
                  viewAs({ name: chosen.user.username ?? chosen.user.email, permissions: chosen.permissions });
              }}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
