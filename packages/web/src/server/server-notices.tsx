import { useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { Note, PanelWords } from '../ui/states.js';
import { useServer } from './server-context.js';

/** What limits every page of the server: another user's permissions, a suspension, a failed installation, an operation. */
export function ServerNotices() {
  const i18n = useI18n();
  const { t, maybe } = i18n;
  const { server, session, viewed, viewAs } = useServer();
  const { operation } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  const current = operation ?? server.operation;
  const kind = current ? maybe(`operation.${current.kind}`, current.kind) : '';
  return (
    <>
      {viewed ? (
        <Note kind="warning">
          <p role="status">{t('view-as.note', { name: viewed.name })}</p>
          <Button onClick={() => viewAs(null)}>{t('view-as.stop')}</Button>
        </Note>
      ) : null}
      {server.suspended ? <Note kind="warning">{t('server.suspended')}</Note> : null}
      {server.status === 'install_failed' ? (
        <Note kind="warning">
          <p>{t('server.install-failed')}</p>
          {server.install_error === null ? null : <PanelWords>{server.install_error}</PanelWords>}
          <p className="row">
            <Link to={`/servers/${server.id}/install-log`}>{t('server.install-log')}</Link>
            <Link to={`/servers/${server.id}/settings`}>{t('settings.reinstall')}</Link>
          </p>
        </Note>
      ) : null}
      {current ? (
        <Note>
          <p role="status">
            {kind}: {current.step ?? ''} {current.progress ?? 0} %
          </p>
          <progress aria-label={kind} max={100} value={current.progress ?? 0} />
        </Note>
      ) : null}
    </>
  );
}
