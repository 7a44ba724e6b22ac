import type { A } from './types';
import legacy = require('legacy');
export interface Shape { x: number }
export type Alias = string;
export enum Colour { Red }
export abstract class Base { abstract m(): void; }
export default class {}
export namespace Space { export const inner = 1; const hidden = 2; }
declare const ambient: number;

@Controller('cats')
export class Cats {
  @Get(':id') one(@Param('id') id: string) {}
  @Post() create() {}
  @Input('not-a-route') x: string;
  handler = () => { while (a) {} };
}
