import { peopleTexts } from '../../i18n/texts/people/people-texts.js';
import { withTexts } from '../../i18n/with-texts.js';
import { LeaveServer } from '../../people/leave-server.js';
import { ViewAs } from '../../people/view-as.js';
import { ServerSettings } from '../../server-settings/settings.js';
import { useServer } from '../../server/server-context.js';

export const SettingsPage = withTexts([peopleTexts], Settings);

function Settings() {
  const { may } = useServer();
  return (
    <div className="stack">
      <ServerSettings />
      {may('user.read') ? <ViewAs /> : null}
      <LeaveServer />
    </div>
  );
}
