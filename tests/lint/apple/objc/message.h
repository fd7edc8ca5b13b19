#pragma once

extern "C" void objc_msgSend();
