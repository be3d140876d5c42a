// How often memory is tidied. A quote lives for seconds: too long to be forgotten along the way, too short to be kept. V8
// goes through all memory as soon as it has grown by half, every few seconds under load, and each time keeps everybody
// waiting. It is told to wait until there is four times as much as is in use: some 75 MB more, a tenth as often.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--heap-growing-percent=300');
