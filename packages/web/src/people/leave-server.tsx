import { useState } from 'react';
import { useLocation } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/confirm.js';
import { Card } from '../ui/page.js';
import { useServer } from '../server/server-context.js';

export function LeaveServer() {
  const { t } = useI18n();
  const { id, server } = useServer();
  const [, navigate] = useLocation();
  const [isLeaving, setIsLeaving] = useState(false);
  const leave = useChange(async (client) => client.delete('/servers/{id}/access', { params: { id } }), [['servers']]);
  // Staff without a subuser entry have no access to give up.
  if (server.is_owner || server.permissions.includes('*')) return null;
  return (
    <Card title={t('people.leave')}>
      <p>{t('people.leave-text')}</p>
      <div className="actions">
        <Button kind="danger" onClick={() => setIsLeaving(true)}>
          {t('people.leave')}
        </Button>
      </div>
      {isLeaving ? (
        <Confirm
          title={t('people.leave')}
          text={t('people.leave-text')}
          action={t('people.leave')}
          onConfirm={async () => {
            await leave.mutateAsync(undefined);
            navigate('/', { replace: true });
          }}
          onClose={() => setIsLeaving(false)}
        />
      ) : null}
    </Card>
  );
}
