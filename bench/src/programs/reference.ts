import Router from '@koa/router';
import Koa from 'koa';

const app = new Koa();
const router = new Router();
router.get('/hello', (ctx) => {
  ctx.body = { hello: 'world', number: 42, list: [1, 2, 3], text: 'a constant answer of about a hundred bytes' };
});
app.use(router.routes());
const server = app.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  process.send?.({ type: 'ready', listen: `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}` });
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
