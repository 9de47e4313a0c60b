import { useI18n } from '../i18n/i18n.js';
import { useChange } from '../api/use-data.js';
import { Form } from '../ui/form.js';
import { Card } from '../ui/page.js';
import { useToasts } from '../ui/toasts.js';
import { useServer } from '../server/server-context.js';

export function ImageChoice({ image }: { readonly image: string }) {
  const { t } = useI18n();
  const { id, why } = useServer();
  const toasts = useToasts();
  const change = useChange(
    async (client, docker_image: string) =>
      client.put('/servers/{id}/startup', { params: { id }, body: { docker_image } }),
    [['server', id]],
  );
  return (
    <Card title={t('settings.image')}>
      <Form
        key={image}
        fields={[
          {
            name: 'docker_image',
            label: t('settings.image'),
            value: image,
            isRequired: true,
            isWide: true,
            hint: t('startup.image-hint'),
          },
        ]}
        action={t('action.save')}
        why={why('startup.docker-image')}
        onSubmit={async ({ docker_image }) => {
          await change.mutateAsync(String(docker_image).trim());
          toasts.show(t('startup.saved'));
        }}
      />
    </Card>
  );
}
