import { expect } from 'chai';
import { createGame, startGame } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

describe('schedules in the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let id: string;

  before(async function () {
    test = await sharedStack();
    ({ id } = await createGame(test, { backups_limit: 1 }));
    await startGame(test.admin, id);
    web = await openWeb(this, test);
    await web.signIn();
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  const list = async () => (await test.admin.get('/servers/{id}/schedules', { params: { id } })).data;
  const task = (number: number) => web.page.getByRole('group', { name: `Task ${number}` });

  const name = 'nightly <b>restart</b>';
  const path = () => `${test.stack.baseUrl}/servers/${id}/schedules`;
  const clear = async () => {
    // an open page would read deleted objects
    await web.page.goto('about:blank');
    for (const { id: schedule_id } of await list())
      await test.admin.delete('/servers/{id}/schedules/{schedule-id}', { params: { id, schedule_id } });
  };
  const open = async (...commands: readonly string[]) => {
    await clear();
    const tasks = commands.map((payload) => ({ action: 'command' as const, payload }));
    const body = { name, minute: '30', hour: '3', tasks };
    const { data } = await test.admin.post('/servers/{id}/schedules', { params: { id }, body });
    await web.page.goto(`${path()}/${data.id}`);
  };

  it('shows the next runs in the time zone, what is wrong while it is typed, and creates a schedule of tasks', async () => {
    const { page } = web;
    await clear();
    await page.goto(path());
    await page.getByText('There are no schedules yet.').waitFor();
    await page.getByRole('link', { name: 'Create a schedule' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('nightly <b>restart</b>');
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Tokyo');
    await page.getByRole('combobox', { name: 'Repeat' }).selectOption('On days of the week');
    await page.getByRole('checkbox', { name: 'Friday' }).check();
    await page.getByRole('checkbox', { name: 'Monday' }).uncheck();
    await page.getByLabel('At', { exact: true }).fill('05:30');
    const runs = page.getByRole('list').filter({ has: page.locator('time') });
    const times = await runs.locator('time').all();
    expect(times).to.have.length(5);
    for (const time of times) {
      expect(await time.textContent()).to.match(/^Friday, .* at 5:30/);
      expect(await time.getAttribute('datetime')).to.match(/T20:30:00\.000Z$/);
    }
    await page.getByRole('combobox', { name: 'Repeat' }).selectOption('Cron expression');
    const hour = page.getByRole('textbox', { name: 'Hour' });
    expect(await page.getByRole('textbox', { name: 'Day of the week' }).inputValue()).to.equal('5');
    await hour.fill('25');
    await page.getByText('These times never come.').waitFor();
    expect(await hour.getAttribute('aria-invalid')).to.equal('true');
    await hour.fill('@daily');
    await page.getByText('has no nicknames: put 0 in minute, 0 in hour').waitFor();
    await hour.fill('22-2');
    await page.getByRole('textbox', { name: 'Day of the month' }).fill('?');
    expect(await hour.getAttribute('aria-invalid')).to.equal(null);
    await page.getByText('These times never come.').waitFor({ state: 'detached' });
    await task(1).getByRole('textbox', { name: 'Command' }).fill('say first');
    await page.getByRole('button', { name: 'Add a task' }).click();
    await task(2).getByRole('combobox', { name: 'Action' }).selectOption('Power');
    await page.getByRole('button', { name: 'Add a task' }).click();
    await task(3).getByRole('textbox', { name: 'Command' }).fill('say last');
    await page.getByRole('button', { name: 'Move task 3 up' }).focus();
    await page.keyboard.press('Enter');
    expect(await task(2).getByRole('textbox', { name: 'Command' }).inputValue()).to.equal('say last');
    // The focus moves with the task, so the same button moves it again.
    await page.keyboard.press('Enter');
    expect(await task(1).getByRole('textbox', { name: 'Command' }).inputValue()).to.equal('say last');
    await page.getByRole('button', { name: 'Remove task 3' }).click();
    await page.locator('form').getByRole('button', { name: 'Create a schedule' }).click();
    await page.getByRole('button', { name: 'Execute now' }).waitFor();
    const [schedule] = await list();
    expect(schedule).to.deep.include({ name: 'nightly <b>restart</b>', timezone: 'Asia/Tokyo', is_active: true });
    expect(schedule?.cron).to.include({ minute: '30', hour: '22-2', day_of_month: '?', day_of_week: '5' });
    expect(schedule?.tasks.map(({ payload }) => payload)).to.deep.equal(['say last', 'say first']);
  });

  it('drags a task to another place, and shows what the panel refuses at the field', async () => {
    const { page } = web;
    await open('say last', 'say first');
    const grips = page.locator('.grip');
    await grips.nth(1).dragTo(grips.nth(0));
    expect(await task(1).getByRole('textbox', { name: 'Command' }).inputValue()).to.equal('say first');
    await task(2).getByRole('textbox', { name: 'Command' }).fill('x'.repeat(5000));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const command = task(2).getByRole('textbox', { name: 'Command' });
    await task(2).getByRole('alert').waitFor();
    expect(await command.getAttribute('aria-invalid')).to.equal('true');
    await command.fill('say second');
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok());
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved;
    await page.getByText('Saved', { exact: true }).waitFor();
    const [schedule] = await list();
    expect(schedule?.tasks.map(({ payload }) => payload)).to.deep.equal(['say first', 'say second']);
  });

  it('executes a schedule and shows how each task ended', async () => {
    const { page } = web;
    await open('say first', 'say second');
    await page.getByRole('button', { name: 'Execute now' }).click();
    const runs = page.getByRole('table', { name: 'History' });
    await runs.getByRole('row', { name: /somebody/ }).waitFor();
    await runs.getByText(/1\. Command/).waitFor({ timeout: 15_000 });
    await runs.getByText(/2\. Command/).waitFor({ timeout: 15_000 });
  });

  it('cancels a run that waits', async () => {
    const { page } = web;
    await clear();
    const tasks = [
      { action: 'command' as const, payload: 'say first' },
      { action: 'command' as const, payload: 'say later', time_offset: 600 },
    ];
    const { data } = await test.admin.post('/servers/{id}/schedules', { params: { id }, body: { name, tasks } });
    await page.goto(`${path()}/${data.id}`);
    await page.getByRole('button', { name: 'Execute now' }).click();
    const runs = page.getByRole('table', { name: 'History' });
    await runs.getByText(/1\. Command/).waitFor({ timeout: 15_000 });
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await runs.getByText('cancelled', { exact: true }).waitFor();
    await runs.getByText('A user cancelled it.').waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).waitFor({ state: 'detached' });
    // A tick meanwhile is skipped.
    const ended = (await list())[0]?.runs.map(({ status }) => status).filter((status) => status !== 'skipped');
    expect(ended).to.deep.equal(['cancelled']);
  });

  it('says why a schedule does not run now', async () => {
    const { page } = web;
    await clear();
    const { id: stoppedId } = await createGame(test);
    const tasks = [{ action: 'command' as const, payload: 'say first' }];
    const { data } = await test.admin.post('/servers/{id}/schedules', {
      params: { id: stoppedId },
      body: { name, only_when_online: true, tasks },
    });
    await page.goto(`${test.stack.baseUrl}/servers/${stoppedId}/schedules/${data.id}`);
    await page.getByRole('button', { name: 'Execute now' }).click();
    await page.getByText('The server is not running. Start it first.').waitFor();
  });

  it('runs at a call of its web address, which can be replaced', async () => {
    const { page } = web;
    await open('say first');
    await page.getByRole('combobox', { name: 'Runs' }).selectOption('When its web address is called');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const address = page.locator('.card', { hasText: 'When its web address is called' }).locator('.copy code');
    const before = (await address.textContent()) ?? '';
    expect(before).to.match(/^http.*\/hooks\/schedules\/.*signature=/);
    expect((await fetch(before, { method: 'POST' })).status).to.equal(200);
    await page.getByRole('button', { name: 'New address' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New address' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await address.textContent()).not.to.equal(before);
  });

  it('switches a schedule off in the list', async () => {
    const { page } = web;
    await open('say first');
    await page.getByRole('link', { name: '‹ Schedules' }).click();
    const row = page.getByRole('row', { name: /nightly <b>restart<\/b>/ });
    await row.getByRole('button', { name: /Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Deactivate' }).click();
    await row.getByText('off', { exact: true }).waitFor();
    expect((await list())[0]?.is_active).to.equal(false);
  });

  it('removes a schedule', async () => {
    const { page } = web;
    await open('say first');
    await page.getByRole('link', { name: '‹ Schedules' }).click();
    await page.getByRole('link', { name: /nightly/ }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no schedules yet.').waitFor();
    expect(await list()).to.deep.equal([]);
  });

  it('violates no policy and asks no other host', () => {
    expect(web.complaints.filter((text) => !/(409|422) \(/.test(text))).to.deep.equal([]);
  });
});
