// eval('x') and child_process.exec in a comment
import express, { Router } from 'express';
import './side-effect';
import * as ns from "../ns";
const fs = require('fs');
const { exec } = require('node:child_process');
const lazy = () => import('./lazy');
const name = require(variable);

export const shown = 1;
export const arrow = () => { if (a) { switch (b) { case 1: break; default: } } };
export function work() {}
export class Widget { render() {} }
export default function main() {}
const local = 1;
function helper() {}
export { local, helper as assisted };
export { x, y as z } from './other';
export * from './all';
export * as space from './space';
export const { p, q: r } = z;

app.get('/users/:id', (req, res) => {});
router.post('/users', controller.create);
userRouter.delete("/users", auth, remove);
app.route('/chain').get(list);
fastify.get('/opts', { schema }, handler);
map.get('key');
map.get('/looks/like/a/path');
cache.get('/x', fallback);
api.get('/client');
api.post('/client', data);
api.get('/server', async (c) => c.text('hi'));
axios.get('/client', { params });
app.get('setting');
app.get('/no-handler');
request(app).get('/test');

program.command('serve <dir>').action(run);
db.command('ping');

eval(code);
eval('literal');
new Function(code);
/re/.exec(text);
exec('secret');
re.exec(x);
el.innerHTML = value;
el.innerHTML = '';
const opts = { rejectUnauthorized: false };
const fine = { rejectUnauthorized: true };
db.query(`SELECT * FROM t WHERE a = ${x}`);
db.query(sql`SELECT * FROM t WHERE a = ${x}`);
db.query(`SELECT * FROM t`);
db.query('SELECT * FROM t WHERE a = ' + x);
alert('Update available: ' + version);
crypto.createHash('md5');
crypto.createHash('sha256');
if (a) {} else if (b) {} else if (c) {}
