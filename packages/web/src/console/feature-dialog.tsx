import type { MessageOf } from '@panel/client';
import { withTexts } from '../i18n/with-texts.js';
import { consoleTexts } from '../i18n/texts/console/console-texts.js';
import { useI18n } from '../i18n/i18n.js';
import { useChange, useData } from '../api/use-data.js';
import { Dialog } from '../ui/dialog.js';
import { type Field, Form, type FormValues } from '../ui/form.js';
import { useToasts } from '../ui/toasts.js';
import { useServer } from '../server/server-context.js';

type Feature = MessageOf<'feature'>;

interface FeatureProps {
  readonly feature: Feature;
  readonly onClose: () => void;
}

/** Required permission for the action itself. */
const permissions: Readonly<Record<Feature['feature'], string>> = {
  eula: 'file.create',
  java_version: 'startup.docker-image',
  gsl_token: 'startup.update',
  steam_disk_space: 'control.restart',
  pid_limit: 'control.restart',
};

/** The user confirms an action that the game requests by a feature of its egg. */
export const FeatureDialog = withTexts([consoleTexts], Question);

function Question({ feature: notice, onClose }: FeatureProps) {
  const { t } = useI18n();
  const { id, why, session } = useServer();
  const toasts = useToasts();
  const { feature } = notice;
  const images = useData(
    ['server', id, 'startup'],
    async (client) => (await client.get('/servers/{id}/startup', { params: { id } })).data,
    { enabled: feature === 'java_version' },
  );
  const change = useChange(
    async (client, values: FormValues) =>
      client.post('/servers/{id}/features', { params: { id }, body: { ...bodyOf(notice, values), restart: true } }),
    [['server', id]],
  );
  return (
    <Dialog title={t(`feature.${feature}`)} onClose={onClose}>
      <p>{t(`feature.${feature}-text`, { version: notice.java_version ?? '' })}</p>
      <pre className="mono prose">{notice.line}</pre>
      <Form
        fields={fieldsOf(notice, images.data?.docker_image ?? '', t)}
        action={t(`feature.${feature}-do`)}
        why={why(permissions[feature]) ?? why('control.restart')}
        onSubmit={async (values) => {
          const { data } = await change.mutateAsync(values).catch((error: unknown) => {
            // Done, which closes the dialog, but the restart failed.
            if (!session.snapshot.features.includes(notice)) toasts.showError(error);
            throw error;
          });
          toasts.show(t(data.restarting ? 'feature.restarting' : 'feature.done'));
        }}
        onCancel={onClose}
        onDone={onClose}
      />
    </Dialog>
  );
}

function fieldsOf({ feature, docker_image }: Feature, current: string, t: ReturnType<typeof useI18n>['t']): Field[] {
  if (feature === 'java_version')
    return [{ name: 'docker_image', label: t('feature.image'), value: docker_image ?? current, isRequired: true }];
  if (feature === 'gsl_token')
    return [{ name: 'token', label: t('feature.token'), type: 'password', isRequired: true }];
  return [];
}

function bodyOf({ feature }: Feature, values: FormValues) {
  if (feature === 'java_version') return { feature, docker_image: String(values['docker_image']) };
  if (feature === 'gsl_token') return { feature, token: String(values['token']) };
  return { feature };
}
