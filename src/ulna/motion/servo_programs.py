"""Programs that play a table of pulses: an Arduino sketch, and MicroPython."""

from __future__ import annotations

from collections.abc import Sequence

ARDUINO = """\
// Plays a table of servo pulses [microseconds], {count} rows at {rate:g} Hz, once.
#include <Arduino.h>
#include <Servo.h>

const uint8_t SERVOS = {servos};
const uint8_t PINS[SERVOS] = {{{pins}}};
const uint32_t ROWS = {count};
const uint32_t STEP = {step};  // microseconds from a row to the next
const uint32_t PAUSE = 2000;  // milliseconds at the first row, to get there
const uint16_t TABLE[ROWS][SERVOS] PROGMEM = {{
{table}
}};

Servo servo[SERVOS];
uint32_t row = 0;
uint32_t due;

void play(uint32_t which) {{
  for (uint8_t k = 0; k < SERVOS; k++) {{
    servo[k].writeMicroseconds(pgm_read_word(&TABLE[which][k]));
  }}
}}

void setup() {{
  for (uint8_t k = 0; k < SERVOS; k++) servo[k].attach(PINS[k]);
  play(0);
  delay(PAUSE);
  due = micros();
}}

void loop() {{
  if (row == ROWS || (int32_t)(micros() - due) < 0) return;
  play(row++);
  due += STEP;
}}
"""

MICROPYTHON = """\
# Plays a table of servo pulses [microseconds], {count} rows at {rate:g} Hz, once.
from array import array
from time import sleep_ms, sleep_us, ticks_add, ticks_diff, ticks_us

from machine import PWM, Pin

PINS = ({pins},)
STEP = {step}  # microseconds from a row to the next
PAUSE = 2000  # milliseconds at the first row, to get there
TABLE = array("H", [
{table}
])

servos = [PWM(Pin(pin)) for pin in PINS]
for servo in servos:
    servo.freq(50)


def play(row):
    for k, servo in enumerate(servos):
        servo.duty_ns(1000 * TABLE[row * len(PINS) + k])


play(0)
sleep_ms(PAUSE)
due = ticks_us()
for row in range(len(TABLE) // len(PINS)):
    wait = ticks_diff(due, ticks_us())
    if wait > 0:
        sleep_us(wait)
    play(row)
    due = ticks_add(due, STEP)
"""


def arduino_sketch(rows: Sequence[Sequence[int]], rate: float, pins: Sequence[int]) -> str:
    """Return an Arduino sketch that plays rows of pulses [µs] at a rate [Hz]."""
    table = ",\n".join(f"  {{{', '.join(map(str, row))}}}" for row in rows)
    return ARDUINO.format(servos=len(pins), **_facts(rows, rate, pins), table=table)


def micropython_program(rows: Sequence[Sequence[int]], rate: float, pins: Sequence[int]) -> str:
    """Return a MicroPython program that plays rows of pulses [µs] at a rate [Hz]."""
    table = "\n".join(f"    {', '.join(map(str, row))}," for row in rows)
    return MICROPYTHON.format(**_facts(rows, rate, pins), table=table)


def _facts(rows: Sequence[Sequence[int]], rate: float, pins: Sequence[int]) -> dict[str, object]:
    named = ", ".join(map(str, pins))
    return {"count": len(rows), "rate": rate, "step": round(1e6 / rate), "pins": named}
