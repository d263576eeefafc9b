# Generated from Cpol.g4 by ANTLR 4.13.2
# encoding: utf-8
from antlr4 import *
from io import StringIO
import sys
if sys.version_info[1] > 5:
	from typing import TextIO
else:
	from typing.io import TextIO

def serializedATN():
    return [
        4,1,85,795,2,0,7,0,2,1,7,1,2,2,7,2,2,3,7,3,2,4,7,4,2,5,7,5,2,6,7,
        6,2,7,7,7,2,8,7,8,2,9,7,9,2,10,7,10,2,11,7,11,2,12,7,12,2,13,7,13,
        2,14,7,14,2,15,7,15,2,16,7,16,2,17,7,17,2,18,7,18,2,19,7,19,2,20,
        7,20,2,21,7,21,2,22,7,22,2,23,7,23,2,24,7,24,2,25,7,25,2,26,7,26,
        2,27,7,27,2,28,7,28,2,29,7,29,2,30,7,30,2,31,7,31,2,32,7,32,2,33,
        7,33,2,34,7,34,2,35,7,35,2,36,7,36,2,37,7,37,2,38,7,38,2,39,7,39,
        2,40,7,40,2,41,7,41,2,42,7,42,2,43,7,43,2,44,7,44,2,45,7,45,2,46,
        7,46,2,47,7,47,2,48,7,48,2,49,7,49,2,50,7,50,2,51,7,51,2,52,7,52,
        2,53,7,53,2,54,7,54,2,55,7,55,2,56,7,56,2,57,7,57,2,58,7,58,2,59,
        7,59,2,60,7,60,2,61,7,61,2,62,7,62,2,63,7,63,2,64,7,64,2,65,7,65,
        2,66,7,66,2,67,7,67,2,68,7,68,2,69,7,69,2,70,7,70,2,71,7,71,2,72,
        7,72,2,73,7,73,1,0,1,0,1,0,1,1,1,1,1,1,1,1,5,1,156,8,1,10,1,12,1,
        159,9,1,1,1,1,1,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,
        1,2,1,2,1,2,1,2,3,2,179,8,2,1,3,1,3,1,3,1,3,1,3,1,3,1,3,1,4,1,4,
        1,4,1,4,1,4,1,4,1,4,1,4,1,4,1,4,1,4,3,4,199,8,4,1,4,5,4,202,8,4,
        10,4,12,4,205,9,4,1,5,1,5,1,6,1,6,1,6,1,6,5,6,213,8,6,10,6,12,6,
        216,9,6,1,6,1,6,1,7,1,7,3,7,222,8,7,1,8,1,8,1,8,1,8,5,8,228,8,8,
        10,8,12,8,231,9,8,1,9,1,9,1,9,1,9,1,9,3,9,238,8,9,1,10,1,10,1,10,
        1,10,5,10,244,8,10,10,10,12,10,247,9,10,1,10,1,10,1,11,1,11,1,11,
        1,11,3,11,255,8,11,1,11,1,11,3,11,259,8,11,3,11,261,8,11,1,12,1,
        12,1,12,5,12,266,8,12,10,12,12,12,269,9,12,1,12,1,12,1,13,1,13,1,
        13,1,13,1,13,1,13,3,13,279,8,13,1,14,1,14,1,14,1,14,1,14,1,14,1,
        14,1,15,1,15,1,15,1,15,1,15,1,15,1,15,1,15,5,15,296,8,15,10,15,12,
        15,299,9,15,1,15,1,15,1,15,1,15,1,16,1,16,1,16,1,16,1,16,1,16,1,
        16,1,16,1,16,1,16,1,16,3,16,316,8,16,1,17,1,17,1,17,1,17,1,17,1,
        17,5,17,324,8,17,10,17,12,17,327,9,17,3,17,329,8,17,1,17,1,17,1,
        17,1,17,1,17,1,17,1,18,1,18,1,18,1,18,3,18,341,8,18,1,19,1,19,1,
        19,1,19,1,19,1,19,1,19,1,19,1,20,1,20,1,20,1,21,1,21,1,21,1,21,1,
        21,1,22,1,22,1,22,1,22,5,22,363,8,22,10,22,12,22,366,9,22,1,22,3,
        22,369,8,22,1,22,1,22,1,22,1,22,5,22,375,8,22,10,22,12,22,378,9,
        22,3,22,380,8,22,1,23,1,23,1,24,1,24,1,24,1,24,5,24,388,8,24,10,
        24,12,24,391,9,24,1,24,1,24,1,25,1,25,1,25,1,25,1,25,1,25,5,25,401,
        8,25,10,25,12,25,404,9,25,3,25,406,8,25,1,25,1,25,1,25,5,25,411,
        8,25,10,25,12,25,414,9,25,1,25,1,25,1,26,1,26,1,26,1,26,1,27,1,27,
        1,27,1,27,1,27,1,27,5,27,428,8,27,10,27,12,27,431,9,27,1,27,1,27,
        3,27,435,8,27,1,27,1,27,1,27,1,27,3,27,441,8,27,3,27,443,8,27,1,
        28,1,28,1,28,3,28,448,8,28,1,28,1,28,3,28,452,8,28,1,29,1,29,5,29,
        456,8,29,10,29,12,29,459,9,29,1,30,1,30,1,31,1,31,1,32,1,32,5,32,
        467,8,32,10,32,12,32,470,9,32,1,32,1,32,1,32,5,32,475,8,32,10,32,
        12,32,478,9,32,1,32,1,32,3,32,482,8,32,1,33,1,33,5,33,486,8,33,10,
        33,12,33,489,9,33,1,33,1,33,1,33,5,33,494,8,33,10,33,12,33,497,9,
        33,1,33,1,33,3,33,501,8,33,1,34,1,34,5,34,505,8,34,10,34,12,34,508,
        9,34,1,34,1,34,1,35,1,35,1,35,1,35,1,35,1,35,1,35,1,35,1,35,1,35,
        1,35,1,35,1,35,3,35,525,8,35,1,36,1,36,1,36,1,36,1,36,1,37,1,37,
        1,37,1,37,5,37,536,8,37,10,37,12,37,539,9,37,1,38,1,38,1,38,1,38,
        1,38,1,38,3,38,547,8,38,1,39,1,39,1,39,1,39,1,39,1,39,1,39,1,39,
        1,40,1,40,1,40,1,40,1,40,1,40,1,40,1,41,1,41,1,41,1,42,1,42,1,42,
        1,43,1,43,1,43,1,43,1,43,1,43,1,43,1,44,1,44,1,44,1,44,1,44,3,44,
        582,8,44,1,44,1,44,1,44,1,44,5,44,588,8,44,10,44,12,44,591,9,44,
        1,44,1,44,1,45,1,45,1,45,1,45,1,46,1,46,1,46,1,46,1,46,1,46,1,46,
        3,46,606,8,46,1,47,1,47,1,47,1,47,1,47,1,47,1,47,1,47,1,47,1,47,
        1,47,3,47,619,8,47,1,48,1,48,1,48,1,48,1,48,3,48,626,8,48,1,49,1,
        49,1,50,1,50,1,51,1,51,1,51,1,51,1,51,3,51,637,8,51,1,52,1,52,1,
        53,1,53,1,54,1,54,1,54,1,54,1,54,1,54,1,54,1,54,3,54,651,8,54,1,
        55,1,55,1,55,5,55,656,8,55,10,55,12,55,659,9,55,1,56,1,56,1,56,5,
        56,664,8,56,10,56,12,56,667,9,56,1,57,5,57,670,8,57,10,57,12,57,
        673,9,57,1,57,1,57,1,58,1,58,1,58,1,58,5,58,681,8,58,10,58,12,58,
        684,9,58,1,59,1,59,1,60,1,60,1,60,5,60,691,8,60,10,60,12,60,694,
        9,60,1,61,1,61,1,61,5,61,699,8,61,10,61,12,61,702,9,61,1,62,5,62,
        705,8,62,10,62,12,62,708,9,62,1,62,1,62,1,63,1,63,1,63,1,63,1,63,
        1,63,1,63,1,63,1,63,1,63,3,63,722,8,63,1,63,3,63,725,8,63,1,64,1,
        64,1,64,1,64,1,65,1,65,3,65,733,8,65,1,65,1,65,5,65,737,8,65,10,
        65,12,65,740,9,65,1,66,1,66,1,66,1,66,5,66,746,8,66,10,66,12,66,
        749,9,66,1,66,1,66,1,67,1,67,1,67,1,67,5,67,757,8,67,10,67,12,67,
        760,9,67,3,67,762,8,67,1,67,1,67,1,68,1,68,1,68,3,68,769,8,68,1,
        68,1,68,3,68,773,8,68,1,68,1,68,1,68,1,68,3,68,779,8,68,1,69,1,69,
        3,69,783,8,69,1,70,1,70,3,70,787,8,70,1,71,1,71,1,72,1,72,1,73,1,
        73,1,73,0,0,74,0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,
        36,38,40,42,44,46,48,50,52,54,56,58,60,62,64,66,68,70,72,74,76,78,
        80,82,84,86,88,90,92,94,96,98,100,102,104,106,108,110,112,114,116,
        118,120,122,124,126,128,130,132,134,136,138,140,142,144,146,0,11,
        2,0,28,28,77,77,1,0,48,51,1,0,49,51,2,0,1,16,48,55,1,0,52,55,1,0,
        62,65,1,0,41,42,2,0,62,62,66,71,1,0,72,73,1,0,74,76,1,0,33,42,823,
        0,148,1,0,0,0,2,151,1,0,0,0,4,178,1,0,0,0,6,180,1,0,0,0,8,187,1,
        0,0,0,10,206,1,0,0,0,12,208,1,0,0,0,14,219,1,0,0,0,16,223,1,0,0,
        0,18,232,1,0,0,0,20,239,1,0,0,0,22,260,1,0,0,0,24,262,1,0,0,0,26,
        272,1,0,0,0,28,280,1,0,0,0,30,287,1,0,0,0,32,304,1,0,0,0,34,317,
        1,0,0,0,36,336,1,0,0,0,38,342,1,0,0,0,40,350,1,0,0,0,42,353,1,0,
        0,0,44,358,1,0,0,0,46,381,1,0,0,0,48,383,1,0,0,0,50,394,1,0,0,0,
        52,417,1,0,0,0,54,442,1,0,0,0,56,444,1,0,0,0,58,453,1,0,0,0,60,460,
        1,0,0,0,62,462,1,0,0,0,64,481,1,0,0,0,66,500,1,0,0,0,68,502,1,0,
        0,0,70,524,1,0,0,0,72,526,1,0,0,0,74,531,1,0,0,0,76,540,1,0,0,0,
        78,548,1,0,0,0,80,556,1,0,0,0,82,563,1,0,0,0,84,566,1,0,0,0,86,569,
        1,0,0,0,88,576,1,0,0,0,90,594,1,0,0,0,92,605,1,0,0,0,94,607,1,0,
        0,0,96,620,1,0,0,0,98,627,1,0,0,0,100,629,1,0,0,0,102,631,1,0,0,
        0,104,638,1,0,0,0,106,640,1,0,0,0,108,650,1,0,0,0,110,652,1,0,0,
        0,112,660,1,0,0,0,114,671,1,0,0,0,116,676,1,0,0,0,118,685,1,0,0,
        0,120,687,1,0,0,0,122,695,1,0,0,0,124,706,1,0,0,0,126,724,1,0,0,
        0,128,726,1,0,0,0,130,730,1,0,0,0,132,741,1,0,0,0,134,752,1,0,0,
        0,136,778,1,0,0,0,138,782,1,0,0,0,140,786,1,0,0,0,142,788,1,0,0,
        0,144,790,1,0,0,0,146,792,1,0,0,0,148,149,3,2,1,0,149,150,5,0,0,
        1,150,1,1,0,0,0,151,152,5,1,0,0,152,153,3,144,72,0,153,157,5,52,
        0,0,154,156,3,4,2,0,155,154,1,0,0,0,156,159,1,0,0,0,157,155,1,0,
        0,0,157,158,1,0,0,0,158,160,1,0,0,0,159,157,1,0,0,0,160,161,5,53,
        0,0,161,3,1,0,0,0,162,179,3,6,3,0,163,179,3,8,4,0,164,179,3,12,6,
        0,165,179,3,16,8,0,166,179,3,20,10,0,167,179,3,24,12,0,168,179,3,
        28,14,0,169,179,3,30,15,0,170,179,3,32,16,0,171,179,3,34,17,0,172,
        179,3,38,19,0,173,179,3,44,22,0,174,179,3,42,21,0,175,179,3,40,20,
        0,176,179,3,50,25,0,177,179,3,58,29,0,178,162,1,0,0,0,178,163,1,
        0,0,0,178,164,1,0,0,0,178,165,1,0,0,0,178,166,1,0,0,0,178,167,1,
        0,0,0,178,168,1,0,0,0,178,169,1,0,0,0,178,170,1,0,0,0,178,171,1,
        0,0,0,178,172,1,0,0,0,178,173,1,0,0,0,178,174,1,0,0,0,178,175,1,
        0,0,0,178,176,1,0,0,0,178,177,1,0,0,0,179,5,1,0,0,0,180,181,5,2,
        0,0,181,182,3,144,72,0,182,183,5,58,0,0,183,184,3,146,73,0,184,185,
        5,62,0,0,185,186,3,108,54,0,186,7,1,0,0,0,187,188,5,3,0,0,188,189,
        3,144,72,0,189,190,5,58,0,0,190,191,3,146,73,0,191,192,5,62,0,0,
        192,198,3,108,54,0,193,194,5,40,0,0,194,195,3,108,54,0,195,196,5,
        60,0,0,196,197,3,108,54,0,197,199,1,0,0,0,198,193,1,0,0,0,198,199,
        1,0,0,0,199,203,1,0,0,0,200,202,3,10,5,0,201,200,1,0,0,0,202,205,
        1,0,0,0,203,201,1,0,0,0,203,204,1,0,0,0,204,9,1,0,0,0,205,203,1,
        0,0,0,206,207,5,77,0,0,207,11,1,0,0,0,208,209,5,4,0,0,209,210,3,
        144,72,0,210,214,5,52,0,0,211,213,3,14,7,0,212,211,1,0,0,0,213,216,
        1,0,0,0,214,212,1,0,0,0,214,215,1,0,0,0,215,217,1,0,0,0,216,214,
        1,0,0,0,217,218,5,53,0,0,218,13,1,0,0,0,219,221,3,144,72,0,220,222,
        5,59,0,0,221,220,1,0,0,0,221,222,1,0,0,0,222,15,1,0,0,0,223,224,
        5,5,0,0,224,229,3,18,9,0,225,226,5,59,0,0,226,228,3,18,9,0,227,225,
        1,0,0,0,228,231,1,0,0,0,229,227,1,0,0,0,229,230,1,0,0,0,230,17,1,
        0,0,0,231,229,1,0,0,0,232,237,3,144,72,0,233,234,5,56,0,0,234,235,
        3,108,54,0,235,236,5,57,0,0,236,238,1,0,0,0,237,233,1,0,0,0,237,
        238,1,0,0,0,238,19,1,0,0,0,239,240,5,6,0,0,240,241,3,144,72,0,241,
        245,5,52,0,0,242,244,3,22,11,0,243,242,1,0,0,0,244,247,1,0,0,0,245,
        243,1,0,0,0,245,246,1,0,0,0,246,248,1,0,0,0,247,245,1,0,0,0,248,
        249,5,53,0,0,249,21,1,0,0,0,250,251,3,144,72,0,251,252,5,58,0,0,
        252,254,3,108,54,0,253,255,5,59,0,0,254,253,1,0,0,0,254,255,1,0,
        0,0,255,261,1,0,0,0,256,258,3,24,12,0,257,259,5,59,0,0,258,257,1,
        0,0,0,258,259,1,0,0,0,259,261,1,0,0,0,260,250,1,0,0,0,260,256,1,
        0,0,0,261,23,1,0,0,0,262,263,5,7,0,0,263,267,5,52,0,0,264,266,3,
        26,13,0,265,264,1,0,0,0,266,269,1,0,0,0,267,265,1,0,0,0,267,268,
        1,0,0,0,268,270,1,0,0,0,269,267,1,0,0,0,270,271,5,53,0,0,271,25,
        1,0,0,0,272,273,3,140,70,0,273,274,5,58,0,0,274,275,3,146,73,0,275,
        276,5,62,0,0,276,278,3,108,54,0,277,279,5,59,0,0,278,277,1,0,0,0,
        278,279,1,0,0,0,279,27,1,0,0,0,280,281,5,8,0,0,281,282,3,144,72,
        0,282,283,5,58,0,0,283,284,3,146,73,0,284,285,5,62,0,0,285,286,3,
        108,54,0,286,29,1,0,0,0,287,288,5,9,0,0,288,289,3,144,72,0,289,290,
        5,58,0,0,290,291,3,146,73,0,291,292,5,56,0,0,292,297,3,108,54,0,
        293,294,5,59,0,0,294,296,3,108,54,0,295,293,1,0,0,0,296,299,1,0,
        0,0,297,295,1,0,0,0,297,298,1,0,0,0,298,300,1,0,0,0,299,297,1,0,
        0,0,300,301,5,57,0,0,301,302,5,62,0,0,302,303,3,108,54,0,303,31,
        1,0,0,0,304,305,5,10,0,0,305,306,3,144,72,0,306,307,5,58,0,0,307,
        308,3,10,5,0,308,309,5,36,0,0,309,315,3,146,73,0,310,311,5,35,0,
        0,311,312,3,146,73,0,312,313,5,62,0,0,313,314,3,108,54,0,314,316,
        1,0,0,0,315,310,1,0,0,0,315,316,1,0,0,0,316,33,1,0,0,0,317,318,5,
        11,0,0,318,319,3,144,72,0,319,328,5,54,0,0,320,325,3,36,18,0,321,
        322,5,59,0,0,322,324,3,36,18,0,323,321,1,0,0,0,324,327,1,0,0,0,325,
        323,1,0,0,0,325,326,1,0,0,0,326,329,1,0,0,0,327,325,1,0,0,0,328,
        320,1,0,0,0,328,329,1,0,0,0,329,330,1,0,0,0,330,331,5,55,0,0,331,
        332,5,58,0,0,332,333,3,146,73,0,333,334,5,62,0,0,334,335,3,108,54,
        0,335,35,1,0,0,0,336,337,3,144,72,0,337,340,5,58,0,0,338,341,3,146,
        73,0,339,341,5,7,0,0,340,338,1,0,0,0,340,339,1,0,0,0,341,37,1,0,
        0,0,342,343,5,12,0,0,343,344,3,144,72,0,344,345,5,54,0,0,345,346,
        3,144,72,0,346,347,5,55,0,0,347,348,5,62,0,0,348,349,3,108,54,0,
        349,39,1,0,0,0,350,351,5,15,0,0,351,352,3,108,54,0,352,41,1,0,0,
        0,353,354,5,14,0,0,354,355,3,108,54,0,355,356,3,10,5,0,356,357,3,
        68,34,0,357,43,1,0,0,0,358,379,5,13,0,0,359,364,3,46,23,0,360,361,
        5,59,0,0,361,363,3,46,23,0,362,360,1,0,0,0,363,366,1,0,0,0,364,362,
        1,0,0,0,364,365,1,0,0,0,365,368,1,0,0,0,366,364,1,0,0,0,367,369,
        3,48,24,0,368,367,1,0,0,0,368,369,1,0,0,0,369,370,1,0,0,0,370,371,
        3,68,34,0,371,380,1,0,0,0,372,376,3,60,30,0,373,375,3,64,32,0,374,
        373,1,0,0,0,375,378,1,0,0,0,376,374,1,0,0,0,376,377,1,0,0,0,377,
        380,1,0,0,0,378,376,1,0,0,0,379,359,1,0,0,0,379,372,1,0,0,0,380,
        45,1,0,0,0,381,382,7,0,0,0,382,47,1,0,0,0,383,384,5,54,0,0,384,389,
        3,144,72,0,385,386,5,59,0,0,386,388,3,144,72,0,387,385,1,0,0,0,388,
        391,1,0,0,0,389,387,1,0,0,0,389,390,1,0,0,0,390,392,1,0,0,0,391,
        389,1,0,0,0,392,393,5,55,0,0,393,49,1,0,0,0,394,395,5,16,0,0,395,
        396,3,144,72,0,396,405,5,54,0,0,397,402,3,52,26,0,398,399,5,59,0,
        0,399,401,3,52,26,0,400,398,1,0,0,0,401,404,1,0,0,0,402,400,1,0,
        0,0,402,403,1,0,0,0,403,406,1,0,0,0,404,402,1,0,0,0,405,397,1,0,
        0,0,405,406,1,0,0,0,406,407,1,0,0,0,407,408,5,55,0,0,408,412,5,52,
        0,0,409,411,3,54,27,0,410,409,1,0,0,0,411,414,1,0,0,0,412,410,1,
        0,0,0,412,413,1,0,0,0,413,415,1,0,0,0,414,412,1,0,0,0,415,416,5,
        53,0,0,416,51,1,0,0,0,417,418,3,144,72,0,418,419,5,58,0,0,419,420,
        3,108,54,0,420,53,1,0,0,0,421,422,5,17,0,0,422,443,3,108,54,0,423,
        440,3,144,72,0,424,429,3,56,28,0,425,426,5,59,0,0,426,428,3,56,28,
        0,427,425,1,0,0,0,428,431,1,0,0,0,429,427,1,0,0,0,429,430,1,0,0,
        0,430,434,1,0,0,0,431,429,1,0,0,0,432,433,5,39,0,0,433,435,5,79,
        0,0,434,432,1,0,0,0,434,435,1,0,0,0,435,441,1,0,0,0,436,437,5,61,
        0,0,437,438,3,138,69,0,438,439,3,134,67,0,439,441,1,0,0,0,440,424,
        1,0,0,0,440,436,1,0,0,0,441,443,1,0,0,0,442,421,1,0,0,0,442,423,
        1,0,0,0,443,55,1,0,0,0,444,447,5,79,0,0,445,446,5,58,0,0,446,448,
        5,79,0,0,447,445,1,0,0,0,447,448,1,0,0,0,448,451,1,0,0,0,449,450,
        5,60,0,0,450,452,5,79,0,0,451,449,1,0,0,0,451,452,1,0,0,0,452,57,
        1,0,0,0,453,457,7,1,0,0,454,456,3,64,32,0,455,454,1,0,0,0,456,459,
        1,0,0,0,457,455,1,0,0,0,457,458,1,0,0,0,458,59,1,0,0,0,459,457,1,
        0,0,0,460,461,7,2,0,0,461,61,1,0,0,0,462,463,7,2,0,0,463,63,1,0,
        0,0,464,468,5,52,0,0,465,467,3,66,33,0,466,465,1,0,0,0,467,470,1,
        0,0,0,468,466,1,0,0,0,468,469,1,0,0,0,469,471,1,0,0,0,470,468,1,
        0,0,0,471,482,5,53,0,0,472,476,5,54,0,0,473,475,3,66,33,0,474,473,
        1,0,0,0,475,478,1,0,0,0,476,474,1,0,0,0,476,477,1,0,0,0,477,479,
        1,0,0,0,478,476,1,0,0,0,479,482,5,55,0,0,480,482,8,3,0,0,481,464,
        1,0,0,0,481,472,1,0,0,0,481,480,1,0,0,0,482,65,1,0,0,0,483,487,5,
        52,0,0,484,486,3,66,33,0,485,484,1,0,0,0,486,489,1,0,0,0,487,485,
        1,0,0,0,487,488,1,0,0,0,488,490,1,0,0,0,489,487,1,0,0,0,490,501,
        5,53,0,0,491,495,5,54,0,0,492,494,3,66,33,0,493,492,1,0,0,0,494,
        497,1,0,0,0,495,493,1,0,0,0,495,496,1,0,0,0,496,498,1,0,0,0,497,
        495,1,0,0,0,498,501,5,55,0,0,499,501,8,4,0,0,500,483,1,0,0,0,500,
        491,1,0,0,0,500,499,1,0,0,0,501,67,1,0,0,0,502,506,5,52,0,0,503,
        505,3,70,35,0,504,503,1,0,0,0,505,508,1,0,0,0,506,504,1,0,0,0,506,
        507,1,0,0,0,507,509,1,0,0,0,508,506,1,0,0,0,509,510,5,53,0,0,510,
        69,1,0,0,0,511,525,3,72,36,0,512,525,3,74,37,0,513,525,3,78,39,0,
        514,525,3,80,40,0,515,525,3,82,41,0,516,525,3,84,42,0,517,525,3,
        86,43,0,518,525,3,88,44,0,519,525,3,94,47,0,520,525,3,98,49,0,521,
        525,3,100,50,0,522,525,3,102,51,0,523,525,3,62,31,0,524,511,1,0,
        0,0,524,512,1,0,0,0,524,513,1,0,0,0,524,514,1,0,0,0,524,515,1,0,
        0,0,524,516,1,0,0,0,524,517,1,0,0,0,524,518,1,0,0,0,524,519,1,0,
        0,0,524,520,1,0,0,0,524,521,1,0,0,0,524,522,1,0,0,0,524,523,1,0,
        0,0,525,71,1,0,0,0,526,527,5,18,0,0,527,528,3,144,72,0,528,529,5,
        62,0,0,529,530,3,108,54,0,530,73,1,0,0,0,531,532,5,19,0,0,532,533,
        3,108,54,0,533,537,3,68,34,0,534,536,3,76,38,0,535,534,1,0,0,0,536,
        539,1,0,0,0,537,535,1,0,0,0,537,538,1,0,0,0,538,75,1,0,0,0,539,537,
        1,0,0,0,540,546,5,21,0,0,541,542,5,19,0,0,542,543,3,108,54,0,543,
        544,3,68,34,0,544,547,1,0,0,0,545,547,3,68,34,0,546,541,1,0,0,0,
        546,545,1,0,0,0,547,77,1,0,0,0,548,549,5,22,0,0,549,550,3,144,72,
        0,550,551,5,40,0,0,551,552,3,108,54,0,552,553,5,60,0,0,553,554,3,
        108,54,0,554,555,3,68,34,0,555,79,1,0,0,0,556,557,5,23,0,0,557,558,
        3,144,72,0,558,559,5,34,0,0,559,560,3,106,53,0,560,561,5,36,0,0,
        561,562,3,96,48,0,562,81,1,0,0,0,563,564,5,24,0,0,564,565,3,144,
        72,0,565,83,1,0,0,0,566,567,5,25,0,0,567,568,3,144,72,0,568,85,1,
        0,0,0,569,570,5,26,0,0,570,571,3,144,72,0,571,572,5,35,0,0,572,573,
        3,106,53,0,573,574,5,36,0,0,574,575,3,96,48,0,575,87,1,0,0,0,576,
        577,5,27,0,0,577,578,3,96,48,0,578,579,5,37,0,0,579,581,3,106,53,
        0,580,582,3,90,45,0,581,580,1,0,0,0,581,582,1,0,0,0,582,583,1,0,
        0,0,583,584,5,39,0,0,584,585,3,144,72,0,585,589,5,52,0,0,586,588,
        3,92,46,0,587,586,1,0,0,0,588,591,1,0,0,0,589,587,1,0,0,0,589,590,
        1,0,0,0,590,592,1,0,0,0,591,589,1,0,0,0,592,593,5,53,0,0,593,89,
        1,0,0,0,594,595,5,38,0,0,595,596,5,35,0,0,596,597,3,108,54,0,597,
        91,1,0,0,0,598,599,5,31,0,0,599,600,3,108,54,0,600,601,3,68,34,0,
        601,606,1,0,0,0,602,603,5,32,0,0,603,606,3,68,34,0,604,606,3,70,
        35,0,605,598,1,0,0,0,605,602,1,0,0,0,605,604,1,0,0,0,606,93,1,0,
        0,0,607,618,5,28,0,0,608,609,5,33,0,0,609,610,3,144,72,0,610,611,
        5,36,0,0,611,612,3,90,45,0,612,613,5,37,0,0,613,614,3,106,53,0,614,
        615,5,36,0,0,615,616,3,96,48,0,616,619,1,0,0,0,617,619,3,144,72,
        0,618,608,1,0,0,0,618,617,1,0,0,0,619,95,1,0,0,0,620,625,3,144,72,
        0,621,622,5,56,0,0,622,623,3,108,54,0,623,624,5,57,0,0,624,626,1,
        0,0,0,625,621,1,0,0,0,625,626,1,0,0,0,626,97,1,0,0,0,627,628,5,29,
        0,0,628,99,1,0,0,0,629,630,5,30,0,0,630,101,1,0,0,0,631,636,3,130,
        65,0,632,633,3,104,52,0,633,634,3,108,54,0,634,637,1,0,0,0,635,637,
        3,134,67,0,636,632,1,0,0,0,636,635,1,0,0,0,637,103,1,0,0,0,638,639,
        7,5,0,0,639,105,1,0,0,0,640,641,7,6,0,0,641,107,1,0,0,0,642,643,
        5,19,0,0,643,644,3,108,54,0,644,645,5,20,0,0,645,646,3,108,54,0,
        646,647,5,21,0,0,647,648,3,108,54,0,648,651,1,0,0,0,649,651,3,110,
        55,0,650,642,1,0,0,0,650,649,1,0,0,0,651,109,1,0,0,0,652,657,3,112,
        56,0,653,654,5,46,0,0,654,656,3,112,56,0,655,653,1,0,0,0,656,659,
        1,0,0,0,657,655,1,0,0,0,657,658,1,0,0,0,658,111,1,0,0,0,659,657,
        1,0,0,0,660,665,3,114,57,0,661,662,5,45,0,0,662,664,3,114,57,0,663,
        661,1,0,0,0,664,667,1,0,0,0,665,663,1,0,0,0,665,666,1,0,0,0,666,
        113,1,0,0,0,667,665,1,0,0,0,668,670,5,47,0,0,669,668,1,0,0,0,670,
        673,1,0,0,0,671,669,1,0,0,0,671,672,1,0,0,0,672,674,1,0,0,0,673,
        671,1,0,0,0,674,675,3,116,58,0,675,115,1,0,0,0,676,682,3,120,60,
        0,677,678,3,118,59,0,678,679,3,120,60,0,679,681,1,0,0,0,680,677,
        1,0,0,0,681,684,1,0,0,0,682,680,1,0,0,0,682,683,1,0,0,0,683,117,
        1,0,0,0,684,682,1,0,0,0,685,686,7,7,0,0,686,119,1,0,0,0,687,692,
        3,122,61,0,688,689,7,8,0,0,689,691,3,122,61,0,690,688,1,0,0,0,691,
        694,1,0,0,0,692,690,1,0,0,0,692,693,1,0,0,0,693,121,1,0,0,0,694,
        692,1,0,0,0,695,700,3,124,62,0,696,697,7,9,0,0,697,699,3,124,62,
        0,698,696,1,0,0,0,699,702,1,0,0,0,700,698,1,0,0,0,700,701,1,0,0,
        0,701,123,1,0,0,0,702,700,1,0,0,0,703,705,5,73,0,0,704,703,1,0,0,
        0,705,708,1,0,0,0,706,704,1,0,0,0,706,707,1,0,0,0,707,709,1,0,0,
        0,708,706,1,0,0,0,709,710,3,126,63,0,710,125,1,0,0,0,711,725,5,79,
        0,0,712,725,5,78,0,0,713,725,5,43,0,0,714,725,5,44,0,0,715,716,5,
        54,0,0,716,717,3,108,54,0,717,718,5,55,0,0,718,725,1,0,0,0,719,721,
        3,130,65,0,720,722,3,134,67,0,721,720,1,0,0,0,721,722,1,0,0,0,722,
        725,1,0,0,0,723,725,3,128,64,0,724,711,1,0,0,0,724,712,1,0,0,0,724,
        713,1,0,0,0,724,714,1,0,0,0,724,715,1,0,0,0,724,719,1,0,0,0,724,
        723,1,0,0,0,725,127,1,0,0,0,726,727,5,28,0,0,727,728,5,61,0,0,728,
        729,3,138,69,0,729,129,1,0,0,0,730,732,3,144,72,0,731,733,3,132,
        66,0,732,731,1,0,0,0,732,733,1,0,0,0,733,738,1,0,0,0,734,735,5,61,
        0,0,735,737,3,138,69,0,736,734,1,0,0,0,737,740,1,0,0,0,738,736,1,
        0,0,0,738,739,1,0,0,0,739,131,1,0,0,0,740,738,1,0,0,0,741,742,5,
        56,0,0,742,747,3,108,54,0,743,744,5,59,0,0,744,746,3,108,54,0,745,
        743,1,0,0,0,746,749,1,0,0,0,747,745,1,0,0,0,747,748,1,0,0,0,748,
        750,1,0,0,0,749,747,1,0,0,0,750,751,5,57,0,0,751,133,1,0,0,0,752,
        761,5,54,0,0,753,758,3,136,68,0,754,755,5,59,0,0,755,757,3,136,68,
        0,756,754,1,0,0,0,757,760,1,0,0,0,758,756,1,0,0,0,758,759,1,0,0,
        0,759,762,1,0,0,0,760,758,1,0,0,0,761,753,1,0,0,0,761,762,1,0,0,
        0,762,763,1,0,0,0,763,764,5,55,0,0,764,135,1,0,0,0,765,768,3,108,
        54,0,766,767,5,58,0,0,767,769,3,108,54,0,768,766,1,0,0,0,768,769,
        1,0,0,0,769,772,1,0,0,0,770,771,5,60,0,0,771,773,3,108,54,0,772,
        770,1,0,0,0,772,773,1,0,0,0,773,779,1,0,0,0,774,775,3,142,71,0,775,
        776,5,58,0,0,776,777,3,108,54,0,777,779,1,0,0,0,778,765,1,0,0,0,
        778,774,1,0,0,0,779,137,1,0,0,0,780,783,3,140,70,0,781,783,5,5,0,
        0,782,780,1,0,0,0,782,781,1,0,0,0,783,139,1,0,0,0,784,787,5,77,0,
        0,785,787,3,142,71,0,786,784,1,0,0,0,786,785,1,0,0,0,787,141,1,0,
        0,0,788,789,7,10,0,0,789,143,1,0,0,0,790,791,5,77,0,0,791,145,1,
        0,0,0,792,793,5,77,0,0,793,147,1,0,0,0,70,157,178,198,203,214,221,
        229,237,245,254,258,260,267,278,297,315,325,328,340,364,368,376,
        379,389,402,405,412,429,434,440,442,447,451,457,468,476,481,487,
        495,500,506,524,537,546,581,589,605,618,625,636,650,657,665,671,
        682,692,700,706,721,724,732,738,747,758,761,768,772,778,782,786
    ]

class CpolParser ( Parser ):

    grammarFileName = "Cpol.g4"

    atn = ATNDeserializer().deserialize(serializedATN())

    decisionsToDFA = [ DFA(ds, i) for i, ds in enumerate(atn.decisionToState) ]

    sharedContextCache = PredictionContextCache()

    literalNames = [ "<INVALID>", "'policy'", "'const'", "'param'", "'enum'", 
                     "'list'", "'ghost'", "'folio'", "'state'", "'table'", 
                     "'input'", "'fn'", "'score'", "'on'", "'every'", "'invariant'", 
                     "'test'", "'expect'", "'let'", "'if'", "'then'", "'else'", 
                     "'for'", "'place'", "'leave'", "'refuse'", "'move'", 
                     "'scan'", "'evict'", "'stop'", "'keep'", "'when'", 
                     "'otherwise'", "'lowest'", "'at'", "'to'", "'of'", 
                     "'from'", "'up'", "'as'", "'in'", "'head'", "'tail'", 
                     "'true'", "'false'", "'and'", "'or'", "'not'", "'hand'", 
                     "'fault'", "'prefetch'", "'pin'", "'{'", "'}'", "'('", 
                     "')'", "'['", "']'", "':'", "','", "'..'", "'.'", "'='", 
                     "'+='", "'-='", "'*='", "'=='", "'!='", "'<='", "'>='", 
                     "'<'", "'>'", "'+'", "'-'", "'*'", "'/'", "'%'" ]

    symbolicNames = [ "<INVALID>", "POLICY", "CONST", "PARAM", "ENUM", "LIST", 
                      "GHOST", "FOLIO", "STATE", "TABLE", "INPUT", "FN", 
                      "SCORE", "ON", "EVERY", "INVARIANT", "TEST", "EXPECT", 
                      "LET", "IF", "THEN", "ELSE", "FOR", "PLACE", "LEAVE", 
                      "REFUSE", "MOVE", "SCAN", "EVICT", "STOP", "KEEP", 
                      "WHEN", "OTHERWISE", "LOWEST", "AT", "TO", "OF", "FROM", 
                      "UP", "AS", "IN", "HEAD", "TAIL", "TRUE", "FALSE", 
                      "AND", "OR", "NOT", "HAND", "FAULT", "PREFETCH", "PIN", 
                      "LBRACE", "RBRACE", "LPAREN", "RPAREN", "LBRACK", 
                      "RBRACK", "COLON", "COMMA", "DOTDOT", "DOT", "ASSIGN", 
                      "ADD_ASSIGN", "SUB_ASSIGN", "MUL_ASSIGN", "EQ", "NE", 
                      "LE", "GE", "LT", "GT", "PLUS", "MINUS", "STAR", "SLASH", 
                      "PERCENT", "IDENT", "FIXED", "INT", "DOC", "COMMENT", 
                      "SPACE", "FOREIGN", "BAD_NUMBER", "UNKNOWN" ]

    RULE_file = 0
    RULE_policy = 1
    RULE_item = 2
    RULE_constDecl = 3
    RULE_paramDecl = 4
    RULE_note = 5
    RULE_enumDecl = 6
    RULE_enumItem = 7
    RULE_listDecl = 8
    RULE_listName = 9
    RULE_ghostDecl = 10
    RULE_ghostItem = 11
    RULE_folioDecl = 12
    RULE_fieldDecl = 13
    RULE_stateDecl = 14
    RULE_tableDecl = 15
    RULE_inputDecl = 16
    RULE_fnDecl = 17
    RULE_fnParam = 18
    RULE_scoreDecl = 19
    RULE_invariant = 20
    RULE_everyDecl = 21
    RULE_handler = 22
    RULE_event = 23
    RULE_handlerParams = 24
    RULE_testDecl = 25
    RULE_setting = 26
    RULE_step = 27
    RULE_folioRange = 28
    RULE_laterDecl = 29
    RULE_laterEvent = 30
    RULE_laterStmt = 31
    RULE_later = 32
    RULE_inner = 33
    RULE_block = 34
    RULE_statement = 35
    RULE_letStmt = 36
    RULE_ifStmt = 37
    RULE_elsePart = 38
    RULE_forStmt = 39
    RULE_placeStmt = 40
    RULE_leaveStmt = 41
    RULE_refuseStmt = 42
    RULE_moveStmt = 43
    RULE_scanStmt = 44
    RULE_bound = 45
    RULE_scanItem = 46
    RULE_evictStmt = 47
    RULE_listRef = 48
    RULE_stopStmt = 49
    RULE_keepStmt = 50
    RULE_pathStmt = 51
    RULE_assignOp = 52
    RULE_end = 53
    RULE_expr = 54
    RULE_orExpr = 55
    RULE_andExpr = 56
    RULE_notExpr = 57
    RULE_comparison = 58
    RULE_compareOp = 59
    RULE_sum = 60
    RULE_term = 61
    RULE_unary = 62
    RULE_primary = 63
    RULE_evictAttr = 64
    RULE_path = 65
    RULE_index = 66
    RULE_arguments = 67
    RULE_argument = 68
    RULE_member = 69
    RULE_word = 70
    RULE_smallWord = 71
    RULE_name = 72
    RULE_typeName = 73

    ruleNames =  [ "file", "policy", "item", "constDecl", "paramDecl", "note", 
                   "enumDecl", "enumItem", "listDecl", "listName", "ghostDecl", 
                   "ghostItem", "folioDecl", "fieldDecl", "stateDecl", "tableDecl", 
                   "inputDecl", "fnDecl", "fnParam", "scoreDecl", "invariant", 
                   "everyDecl", "handler", "event", "handlerParams", "testDecl", 
                   "setting", "step", "folioRange", "laterDecl", "laterEvent", 
                   "laterStmt", "later", "inner", "block", "statement", 
                   "letStmt", "ifStmt", "elsePart", "forStmt", "placeStmt", 
                   "leaveStmt", "refuseStmt", "moveStmt", "scanStmt", "bound", 
                   "scanItem", "evictStmt", "listRef", "stopStmt", "keepStmt", 
                   "pathStmt", "assignOp", "end", "expr", "orExpr", "andExpr", 
                   "notExpr", "comparison", "compareOp", "sum", "term", 
                   "unary", "primary", "evictAttr", "path", "index", "arguments", 
                   "argument", "member", "word", "smallWord", "name", "typeName" ]

    EOF = Token.EOF
    POLICY=1
    CONST=2
    PARAM=3
    ENUM=4
    LIST=5
    GHOST=6
    FOLIO=7
    STATE=8
    TABLE=9
    INPUT=10
    FN=11
    SCORE=12
    ON=13
    EVERY=14
    INVARIANT=15
    TEST=16
    EXPECT=17
    LET=18
    IF=19
    THEN=20
    ELSE=21
    FOR=22
    PLACE=23
    LEAVE=24
    REFUSE=25
    MOVE=26
    SCAN=27
    EVICT=28
    STOP=29
    KEEP=30
    WHEN=31
    OTHERWISE=32
    LOWEST=33
    AT=34
    TO=35
    OF=36
    FROM=37
    UP=38
    AS=39
    IN=40
    HEAD=41
    TAIL=42
    TRUE=43
    FALSE=44
    AND=45
    OR=46
    NOT=47
    HAND=48
    FAULT=49
    PREFETCH=50
    PIN=51
    LBRACE=52
    RBRACE=53
    LPAREN=54
    RPAREN=55
    LBRACK=56
    RBRACK=57
    COLON=58
    COMMA=59
    DOTDOT=60
    DOT=61
    ASSIGN=62
    ADD_ASSIGN=63
    SUB_ASSIGN=64
    MUL_ASSIGN=65
    EQ=66
    NE=67
    LE=68
    GE=69
    LT=70
    GT=71
    PLUS=72
    MINUS=73
    STAR=74
    SLASH=75
    PERCENT=76
    IDENT=77
    FIXED=78
    INT=79
    DOC=80
    COMMENT=81
    SPACE=82
    FOREIGN=83
    BAD_NUMBER=84
    UNKNOWN=85

    def __init__(self, input:TokenStream, output:TextIO = sys.stdout):
        super().__init__(input, output)
        self.checkVersion("4.13.2")
        self._interp = ParserATNSimulator(self, self.atn, self.decisionsToDFA, self.sharedContextCache)
        self._predicates = None




    class FileContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def policy(self):
            return self.getTypedRuleContext(CpolParser.PolicyContext,0)


        def EOF(self):
            return self.getToken(CpolParser.EOF, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_file




    def file_(self):

        localctx = CpolParser.FileContext(self, self._ctx, self.state)
        self.enterRule(localctx, 0, self.RULE_file)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 148
            self.policy()
            self.state = 149
            self.match(CpolParser.EOF)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PolicyContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def POLICY(self):
            return self.getToken(CpolParser.POLICY, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def item(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ItemContext)
            else:
                return self.getTypedRuleContext(CpolParser.ItemContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_policy




    def policy(self):

        localctx = CpolParser.PolicyContext(self, self._ctx, self.state)
        self.enterRule(localctx, 2, self.RULE_policy)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 151
            self.match(CpolParser.POLICY)
            self.state = 152
            self.name()
            self.state = 153
            self.match(CpolParser.LBRACE)
            self.state = 157
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while (((_la) & ~0x3f) == 0 and ((1 << _la) & 4222124650790908) != 0):
                self.state = 154
                self.item()
                self.state = 159
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 160
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ItemContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def constDecl(self):
            return self.getTypedRuleContext(CpolParser.ConstDeclContext,0)


        def paramDecl(self):
            return self.getTypedRuleContext(CpolParser.ParamDeclContext,0)


        def enumDecl(self):
            return self.getTypedRuleContext(CpolParser.EnumDeclContext,0)


        def listDecl(self):
            return self.getTypedRuleContext(CpolParser.ListDeclContext,0)


        def ghostDecl(self):
            return self.getTypedRuleContext(CpolParser.GhostDeclContext,0)


        def folioDecl(self):
            return self.getTypedRuleContext(CpolParser.FolioDeclContext,0)


        def stateDecl(self):
            return self.getTypedRuleContext(CpolParser.StateDeclContext,0)


        def tableDecl(self):
            return self.getTypedRuleContext(CpolParser.TableDeclContext,0)


        def inputDecl(self):
            return self.getTypedRuleContext(CpolParser.InputDeclContext,0)


        def fnDecl(self):
            return self.getTypedRuleContext(CpolParser.FnDeclContext,0)


        def scoreDecl(self):
            return self.getTypedRuleContext(CpolParser.ScoreDeclContext,0)


        def handler(self):
            return self.getTypedRuleContext(CpolParser.HandlerContext,0)


        def everyDecl(self):
            return self.getTypedRuleContext(CpolParser.EveryDeclContext,0)


        def invariant(self):
            return self.getTypedRuleContext(CpolParser.InvariantContext,0)


        def testDecl(self):
            return self.getTypedRuleContext(CpolParser.TestDeclContext,0)


        def laterDecl(self):
            return self.getTypedRuleContext(CpolParser.LaterDeclContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_item




    def item(self):

        localctx = CpolParser.ItemContext(self, self._ctx, self.state)
        self.enterRule(localctx, 4, self.RULE_item)
        try:
            self.state = 178
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [2]:
                self.enterOuterAlt(localctx, 1)
                self.state = 162
                self.constDecl()
                pass
            elif token in [3]:
                self.enterOuterAlt(localctx, 2)
                self.state = 163
                self.paramDecl()
                pass
            elif token in [4]:
                self.enterOuterAlt(localctx, 3)
                self.state = 164
                self.enumDecl()
                pass
            elif token in [5]:
                self.enterOuterAlt(localctx, 4)
                self.state = 165
                self.listDecl()
                pass
            elif token in [6]:
                self.enterOuterAlt(localctx, 5)
                self.state = 166
                self.ghostDecl()
                pass
            elif token in [7]:
                self.enterOuterAlt(localctx, 6)
                self.state = 167
                self.folioDecl()
                pass
            elif token in [8]:
                self.enterOuterAlt(localctx, 7)
                self.state = 168
                self.stateDecl()
                pass
            elif token in [9]:
                self.enterOuterAlt(localctx, 8)
                self.state = 169
                self.tableDecl()
                pass
            elif token in [10]:
                self.enterOuterAlt(localctx, 9)
                self.state = 170
                self.inputDecl()
                pass
            elif token in [11]:
                self.enterOuterAlt(localctx, 10)
                self.state = 171
                self.fnDecl()
                pass
            elif token in [12]:
                self.enterOuterAlt(localctx, 11)
                self.state = 172
                self.scoreDecl()
                pass
            elif token in [13]:
                self.enterOuterAlt(localctx, 12)
                self.state = 173
                self.handler()
                pass
            elif token in [14]:
                self.enterOuterAlt(localctx, 13)
                self.state = 174
                self.everyDecl()
                pass
            elif token in [15]:
                self.enterOuterAlt(localctx, 14)
                self.state = 175
                self.invariant()
                pass
            elif token in [16]:
                self.enterOuterAlt(localctx, 15)
                self.state = 176
                self.testDecl()
                pass
            elif token in [48, 49, 50, 51]:
                self.enterOuterAlt(localctx, 16)
                self.state = 177
                self.laterDecl()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ConstDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def CONST(self):
            return self.getToken(CpolParser.CONST, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_constDecl




    def constDecl(self):

        localctx = CpolParser.ConstDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 6, self.RULE_constDecl)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 180
            self.match(CpolParser.CONST)
            self.state = 181
            self.name()
            self.state = 182
            self.match(CpolParser.COLON)
            self.state = 183
            self.typeName()
            self.state = 184
            self.match(CpolParser.ASSIGN)
            self.state = 185
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ParamDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def PARAM(self):
            return self.getToken(CpolParser.PARAM, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.ExprContext,i)


        def IN(self):
            return self.getToken(CpolParser.IN, 0)

        def DOTDOT(self):
            return self.getToken(CpolParser.DOTDOT, 0)

        def note(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NoteContext)
            else:
                return self.getTypedRuleContext(CpolParser.NoteContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_paramDecl




    def paramDecl(self):

        localctx = CpolParser.ParamDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 8, self.RULE_paramDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 187
            self.match(CpolParser.PARAM)
            self.state = 188
            self.name()
            self.state = 189
            self.match(CpolParser.COLON)
            self.state = 190
            self.typeName()
            self.state = 191
            self.match(CpolParser.ASSIGN)
            self.state = 192
            self.expr()
            self.state = 198
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==40:
                self.state = 193
                self.match(CpolParser.IN)
                self.state = 194
                self.expr()
                self.state = 195
                self.match(CpolParser.DOTDOT)
                self.state = 196
                self.expr()


            self.state = 203
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==77:
                self.state = 200
                self.note()
                self.state = 205
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class NoteContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IDENT(self):
            return self.getToken(CpolParser.IDENT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_note




    def note(self):

        localctx = CpolParser.NoteContext(self, self._ctx, self.state)
        self.enterRule(localctx, 10, self.RULE_note)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 206
            self.match(CpolParser.IDENT)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EnumDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def ENUM(self):
            return self.getToken(CpolParser.ENUM, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def enumItem(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.EnumItemContext)
            else:
                return self.getTypedRuleContext(CpolParser.EnumItemContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_enumDecl




    def enumDecl(self):

        localctx = CpolParser.EnumDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 12, self.RULE_enumDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 208
            self.match(CpolParser.ENUM)
            self.state = 209
            self.name()
            self.state = 210
            self.match(CpolParser.LBRACE)
            self.state = 214
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==77:
                self.state = 211
                self.enumItem()
                self.state = 216
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 217
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EnumItemContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COMMA(self):
            return self.getToken(CpolParser.COMMA, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_enumItem




    def enumItem(self):

        localctx = CpolParser.EnumItemContext(self, self._ctx, self.state)
        self.enterRule(localctx, 14, self.RULE_enumItem)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 219
            self.name()
            self.state = 221
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==59:
                self.state = 220
                self.match(CpolParser.COMMA)


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ListDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LIST(self):
            return self.getToken(CpolParser.LIST, 0)

        def listName(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ListNameContext)
            else:
                return self.getTypedRuleContext(CpolParser.ListNameContext,i)


        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_listDecl




    def listDecl(self):

        localctx = CpolParser.ListDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 16, self.RULE_listDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 223
            self.match(CpolParser.LIST)
            self.state = 224
            self.listName()
            self.state = 229
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==59:
                self.state = 225
                self.match(CpolParser.COMMA)
                self.state = 226
                self.listName()
                self.state = 231
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ListNameContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LBRACK(self):
            return self.getToken(CpolParser.LBRACK, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def RBRACK(self):
            return self.getToken(CpolParser.RBRACK, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_listName




    def listName(self):

        localctx = CpolParser.ListNameContext(self, self._ctx, self.state)
        self.enterRule(localctx, 18, self.RULE_listName)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 232
            self.name()
            self.state = 237
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==56:
                self.state = 233
                self.match(CpolParser.LBRACK)
                self.state = 234
                self.expr()
                self.state = 235
                self.match(CpolParser.RBRACK)


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class GhostDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def GHOST(self):
            return self.getToken(CpolParser.GHOST, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def ghostItem(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.GhostItemContext)
            else:
                return self.getTypedRuleContext(CpolParser.GhostItemContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_ghostDecl




    def ghostDecl(self):

        localctx = CpolParser.GhostDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 20, self.RULE_ghostDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 239
            self.match(CpolParser.GHOST)
            self.state = 240
            self.name()
            self.state = 241
            self.match(CpolParser.LBRACE)
            self.state = 245
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==7 or _la==77:
                self.state = 242
                self.ghostItem()
                self.state = 247
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 248
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class GhostItemContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def COMMA(self):
            return self.getToken(CpolParser.COMMA, 0)

        def folioDecl(self):
            return self.getTypedRuleContext(CpolParser.FolioDeclContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_ghostItem




    def ghostItem(self):

        localctx = CpolParser.GhostItemContext(self, self._ctx, self.state)
        self.enterRule(localctx, 22, self.RULE_ghostItem)
        self._la = 0 # Token type
        try:
            self.state = 260
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [77]:
                self.enterOuterAlt(localctx, 1)
                self.state = 250
                self.name()
                self.state = 251
                self.match(CpolParser.COLON)
                self.state = 252
                self.expr()
                self.state = 254
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                if _la==59:
                    self.state = 253
                    self.match(CpolParser.COMMA)


                pass
            elif token in [7]:
                self.enterOuterAlt(localctx, 2)
                self.state = 256
                self.folioDecl()
                self.state = 258
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                if _la==59:
                    self.state = 257
                    self.match(CpolParser.COMMA)


                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class FolioDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def FOLIO(self):
            return self.getToken(CpolParser.FOLIO, 0)

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def fieldDecl(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.FieldDeclContext)
            else:
                return self.getTypedRuleContext(CpolParser.FieldDeclContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_folioDecl




    def folioDecl(self):

        localctx = CpolParser.FolioDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 24, self.RULE_folioDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 262
            self.match(CpolParser.FOLIO)
            self.state = 263
            self.match(CpolParser.LBRACE)
            self.state = 267
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while ((((_la - 33)) & ~0x3f) == 0 and ((1 << (_la - 33)) & 17592186045439) != 0):
                self.state = 264
                self.fieldDecl()
                self.state = 269
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 270
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class FieldDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def word(self):
            return self.getTypedRuleContext(CpolParser.WordContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def COMMA(self):
            return self.getToken(CpolParser.COMMA, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_fieldDecl




    def fieldDecl(self):

        localctx = CpolParser.FieldDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 26, self.RULE_fieldDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 272
            self.word()
            self.state = 273
            self.match(CpolParser.COLON)
            self.state = 274
            self.typeName()
            self.state = 275
            self.match(CpolParser.ASSIGN)
            self.state = 276
            self.expr()
            self.state = 278
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==59:
                self.state = 277
                self.match(CpolParser.COMMA)


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class StateDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def STATE(self):
            return self.getToken(CpolParser.STATE, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_stateDecl




    def stateDecl(self):

        localctx = CpolParser.StateDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 28, self.RULE_stateDecl)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 280
            self.match(CpolParser.STATE)
            self.state = 281
            self.name()
            self.state = 282
            self.match(CpolParser.COLON)
            self.state = 283
            self.typeName()
            self.state = 284
            self.match(CpolParser.ASSIGN)
            self.state = 285
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class TableDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def TABLE(self):
            return self.getToken(CpolParser.TABLE, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def LBRACK(self):
            return self.getToken(CpolParser.LBRACK, 0)

        def expr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.ExprContext,i)


        def RBRACK(self):
            return self.getToken(CpolParser.RBRACK, 0)

        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_tableDecl




    def tableDecl(self):

        localctx = CpolParser.TableDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 30, self.RULE_tableDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 287
            self.match(CpolParser.TABLE)
            self.state = 288
            self.name()
            self.state = 289
            self.match(CpolParser.COLON)
            self.state = 290
            self.typeName()
            self.state = 291
            self.match(CpolParser.LBRACK)
            self.state = 292
            self.expr()
            self.state = 297
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==59:
                self.state = 293
                self.match(CpolParser.COMMA)
                self.state = 294
                self.expr()
                self.state = 299
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 300
            self.match(CpolParser.RBRACK)
            self.state = 301
            self.match(CpolParser.ASSIGN)
            self.state = 302
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class InputDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def INPUT(self):
            return self.getToken(CpolParser.INPUT, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def note(self):
            return self.getTypedRuleContext(CpolParser.NoteContext,0)


        def OF(self):
            return self.getToken(CpolParser.OF, 0)

        def typeName(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.TypeNameContext)
            else:
                return self.getTypedRuleContext(CpolParser.TypeNameContext,i)


        def TO(self):
            return self.getToken(CpolParser.TO, 0)

        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_inputDecl




    def inputDecl(self):

        localctx = CpolParser.InputDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 32, self.RULE_inputDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 304
            self.match(CpolParser.INPUT)
            self.state = 305
            self.name()
            self.state = 306
            self.match(CpolParser.COLON)
            self.state = 307
            self.note()
            self.state = 308
            self.match(CpolParser.OF)
            self.state = 309
            self.typeName()
            self.state = 315
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==35:
                self.state = 310
                self.match(CpolParser.TO)
                self.state = 311
                self.typeName()
                self.state = 312
                self.match(CpolParser.ASSIGN)
                self.state = 313
                self.expr()


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class FnDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def FN(self):
            return self.getToken(CpolParser.FN, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def fnParam(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.FnParamContext)
            else:
                return self.getTypedRuleContext(CpolParser.FnParamContext,i)


        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_fnDecl




    def fnDecl(self):

        localctx = CpolParser.FnDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 34, self.RULE_fnDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 317
            self.match(CpolParser.FN)
            self.state = 318
            self.name()
            self.state = 319
            self.match(CpolParser.LPAREN)
            self.state = 328
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==77:
                self.state = 320
                self.fnParam()
                self.state = 325
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while _la==59:
                    self.state = 321
                    self.match(CpolParser.COMMA)
                    self.state = 322
                    self.fnParam()
                    self.state = 327
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)



            self.state = 330
            self.match(CpolParser.RPAREN)
            self.state = 331
            self.match(CpolParser.COLON)
            self.state = 332
            self.typeName()
            self.state = 333
            self.match(CpolParser.ASSIGN)
            self.state = 334
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class FnParamContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def FOLIO(self):
            return self.getToken(CpolParser.FOLIO, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_fnParam




    def fnParam(self):

        localctx = CpolParser.FnParamContext(self, self._ctx, self.state)
        self.enterRule(localctx, 36, self.RULE_fnParam)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 336
            self.name()
            self.state = 337
            self.match(CpolParser.COLON)
            self.state = 340
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [77]:
                self.state = 338
                self.typeName()
                pass
            elif token in [7]:
                self.state = 339
                self.match(CpolParser.FOLIO)
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ScoreDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def SCORE(self):
            return self.getToken(CpolParser.SCORE, 0)

        def name(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NameContext)
            else:
                return self.getTypedRuleContext(CpolParser.NameContext,i)


        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_scoreDecl




    def scoreDecl(self):

        localctx = CpolParser.ScoreDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 38, self.RULE_scoreDecl)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 342
            self.match(CpolParser.SCORE)
            self.state = 343
            self.name()
            self.state = 344
            self.match(CpolParser.LPAREN)
            self.state = 345
            self.name()
            self.state = 346
            self.match(CpolParser.RPAREN)
            self.state = 347
            self.match(CpolParser.ASSIGN)
            self.state = 348
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class InvariantContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def INVARIANT(self):
            return self.getToken(CpolParser.INVARIANT, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_invariant




    def invariant(self):

        localctx = CpolParser.InvariantContext(self, self._ctx, self.state)
        self.enterRule(localctx, 40, self.RULE_invariant)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 350
            self.match(CpolParser.INVARIANT)
            self.state = 351
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EveryDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EVERY(self):
            return self.getToken(CpolParser.EVERY, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def note(self):
            return self.getTypedRuleContext(CpolParser.NoteContext,0)


        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_everyDecl




    def everyDecl(self):

        localctx = CpolParser.EveryDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 42, self.RULE_everyDecl)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 353
            self.match(CpolParser.EVERY)
            self.state = 354
            self.expr()
            self.state = 355
            self.note()
            self.state = 356
            self.block()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class HandlerContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def ON(self):
            return self.getToken(CpolParser.ON, 0)

        def event(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.EventContext)
            else:
                return self.getTypedRuleContext(CpolParser.EventContext,i)


        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def laterEvent(self):
            return self.getTypedRuleContext(CpolParser.LaterEventContext,0)


        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def handlerParams(self):
            return self.getTypedRuleContext(CpolParser.HandlerParamsContext,0)


        def later(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.LaterContext)
            else:
                return self.getTypedRuleContext(CpolParser.LaterContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_handler




    def handler(self):

        localctx = CpolParser.HandlerContext(self, self._ctx, self.state)
        self.enterRule(localctx, 44, self.RULE_handler)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 358
            self.match(CpolParser.ON)
            self.state = 379
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [28, 77]:
                self.state = 359
                self.event()
                self.state = 364
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while _la==59:
                    self.state = 360
                    self.match(CpolParser.COMMA)
                    self.state = 361
                    self.event()
                    self.state = 366
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 368
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                if _la==54:
                    self.state = 367
                    self.handlerParams()


                self.state = 370
                self.block()
                pass
            elif token in [49, 50, 51]:
                self.state = 372
                self.laterEvent()
                self.state = 376
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -49258120924495872) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 4194303) != 0):
                    self.state = 373
                    self.later()
                    self.state = 378
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EventContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IDENT(self):
            return self.getToken(CpolParser.IDENT, 0)

        def EVICT(self):
            return self.getToken(CpolParser.EVICT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_event




    def event(self):

        localctx = CpolParser.EventContext(self, self._ctx, self.state)
        self.enterRule(localctx, 46, self.RULE_event)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 381
            _la = self._input.LA(1)
            if not(_la==28 or _la==77):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class HandlerParamsContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def name(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NameContext)
            else:
                return self.getTypedRuleContext(CpolParser.NameContext,i)


        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_handlerParams




    def handlerParams(self):

        localctx = CpolParser.HandlerParamsContext(self, self._ctx, self.state)
        self.enterRule(localctx, 48, self.RULE_handlerParams)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 383
            self.match(CpolParser.LPAREN)
            self.state = 384
            self.name()
            self.state = 389
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==59:
                self.state = 385
                self.match(CpolParser.COMMA)
                self.state = 386
                self.name()
                self.state = 391
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 392
            self.match(CpolParser.RPAREN)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class TestDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def TEST(self):
            return self.getToken(CpolParser.TEST, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def setting(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.SettingContext)
            else:
                return self.getTypedRuleContext(CpolParser.SettingContext,i)


        def step(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.StepContext)
            else:
                return self.getTypedRuleContext(CpolParser.StepContext,i)


        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_testDecl




    def testDecl(self):

        localctx = CpolParser.TestDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 50, self.RULE_testDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 394
            self.match(CpolParser.TEST)
            self.state = 395
            self.name()
            self.state = 396
            self.match(CpolParser.LPAREN)
            self.state = 405
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==77:
                self.state = 397
                self.setting()
                self.state = 402
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while _la==59:
                    self.state = 398
                    self.match(CpolParser.COMMA)
                    self.state = 399
                    self.setting()
                    self.state = 404
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)



            self.state = 407
            self.match(CpolParser.RPAREN)
            self.state = 408
            self.match(CpolParser.LBRACE)
            self.state = 412
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==17 or _la==77:
                self.state = 409
                self.step()
                self.state = 414
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 415
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class SettingContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_setting




    def setting(self):

        localctx = CpolParser.SettingContext(self, self._ctx, self.state)
        self.enterRule(localctx, 52, self.RULE_setting)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 417
            self.name()
            self.state = 418
            self.match(CpolParser.COLON)
            self.state = 419
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class StepContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EXPECT(self):
            return self.getToken(CpolParser.EXPECT, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def folioRange(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.FolioRangeContext)
            else:
                return self.getTypedRuleContext(CpolParser.FolioRangeContext,i)


        def DOT(self):
            return self.getToken(CpolParser.DOT, 0)

        def member(self):
            return self.getTypedRuleContext(CpolParser.MemberContext,0)


        def arguments(self):
            return self.getTypedRuleContext(CpolParser.ArgumentsContext,0)


        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def AS(self):
            return self.getToken(CpolParser.AS, 0)

        def INT(self):
            return self.getToken(CpolParser.INT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_step




    def step(self):

        localctx = CpolParser.StepContext(self, self._ctx, self.state)
        self.enterRule(localctx, 54, self.RULE_step)
        self._la = 0 # Token type
        try:
            self.state = 442
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [17]:
                self.enterOuterAlt(localctx, 1)
                self.state = 421
                self.match(CpolParser.EXPECT)
                self.state = 422
                self.expr()
                pass
            elif token in [77]:
                self.enterOuterAlt(localctx, 2)
                self.state = 423
                self.name()
                self.state = 440
                self._errHandler.sync(self)
                token = self._input.LA(1)
                if token in [79]:
                    self.state = 424
                    self.folioRange()
                    self.state = 429
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)
                    while _la==59:
                        self.state = 425
                        self.match(CpolParser.COMMA)
                        self.state = 426
                        self.folioRange()
                        self.state = 431
                        self._errHandler.sync(self)
                        _la = self._input.LA(1)

                    self.state = 434
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)
                    if _la==39:
                        self.state = 432
                        self.match(CpolParser.AS)
                        self.state = 433
                        self.match(CpolParser.INT)


                    pass
                elif token in [61]:
                    self.state = 436
                    self.match(CpolParser.DOT)
                    self.state = 437
                    self.member()
                    self.state = 438
                    self.arguments()
                    pass
                else:
                    raise NoViableAltException(self)

                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class FolioRangeContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def INT(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.INT)
            else:
                return self.getToken(CpolParser.INT, i)

        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def DOTDOT(self):
            return self.getToken(CpolParser.DOTDOT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_folioRange




    def folioRange(self):

        localctx = CpolParser.FolioRangeContext(self, self._ctx, self.state)
        self.enterRule(localctx, 56, self.RULE_folioRange)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 444
            self.match(CpolParser.INT)
            self.state = 447
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==58:
                self.state = 445
                self.match(CpolParser.COLON)
                self.state = 446
                self.match(CpolParser.INT)


            self.state = 451
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==60:
                self.state = 449
                self.match(CpolParser.DOTDOT)
                self.state = 450
                self.match(CpolParser.INT)


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LaterDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def HAND(self):
            return self.getToken(CpolParser.HAND, 0)

        def FAULT(self):
            return self.getToken(CpolParser.FAULT, 0)

        def PREFETCH(self):
            return self.getToken(CpolParser.PREFETCH, 0)

        def PIN(self):
            return self.getToken(CpolParser.PIN, 0)

        def later(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.LaterContext)
            else:
                return self.getTypedRuleContext(CpolParser.LaterContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_laterDecl




    def laterDecl(self):

        localctx = CpolParser.LaterDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 58, self.RULE_laterDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 453
            _la = self._input.LA(1)
            if not((((_la) & ~0x3f) == 0 and ((1 << _la) & 4222124650659840) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
            self.state = 457
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while (((_la) & ~0x3f) == 0 and ((1 << _la) & -49258120924495872) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 4194303) != 0):
                self.state = 454
                self.later()
                self.state = 459
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LaterEventContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def FAULT(self):
            return self.getToken(CpolParser.FAULT, 0)

        def PREFETCH(self):
            return self.getToken(CpolParser.PREFETCH, 0)

        def PIN(self):
            return self.getToken(CpolParser.PIN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_laterEvent




    def laterEvent(self):

        localctx = CpolParser.LaterEventContext(self, self._ctx, self.state)
        self.enterRule(localctx, 60, self.RULE_laterEvent)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 460
            _la = self._input.LA(1)
            if not((((_la) & ~0x3f) == 0 and ((1 << _la) & 3940649673949184) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LaterStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def FAULT(self):
            return self.getToken(CpolParser.FAULT, 0)

        def PREFETCH(self):
            return self.getToken(CpolParser.PREFETCH, 0)

        def PIN(self):
            return self.getToken(CpolParser.PIN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_laterStmt




    def laterStmt(self):

        localctx = CpolParser.LaterStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 62, self.RULE_laterStmt)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 462
            _la = self._input.LA(1)
            if not((((_la) & ~0x3f) == 0 and ((1 << _la) & 3940649673949184) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LaterContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def inner(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.InnerContext)
            else:
                return self.getTypedRuleContext(CpolParser.InnerContext,i)


        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def CONST(self):
            return self.getToken(CpolParser.CONST, 0)

        def PARAM(self):
            return self.getToken(CpolParser.PARAM, 0)

        def ENUM(self):
            return self.getToken(CpolParser.ENUM, 0)

        def LIST(self):
            return self.getToken(CpolParser.LIST, 0)

        def GHOST(self):
            return self.getToken(CpolParser.GHOST, 0)

        def FOLIO(self):
            return self.getToken(CpolParser.FOLIO, 0)

        def STATE(self):
            return self.getToken(CpolParser.STATE, 0)

        def TABLE(self):
            return self.getToken(CpolParser.TABLE, 0)

        def INPUT(self):
            return self.getToken(CpolParser.INPUT, 0)

        def FN(self):
            return self.getToken(CpolParser.FN, 0)

        def SCORE(self):
            return self.getToken(CpolParser.SCORE, 0)

        def ON(self):
            return self.getToken(CpolParser.ON, 0)

        def EVERY(self):
            return self.getToken(CpolParser.EVERY, 0)

        def INVARIANT(self):
            return self.getToken(CpolParser.INVARIANT, 0)

        def TEST(self):
            return self.getToken(CpolParser.TEST, 0)

        def HAND(self):
            return self.getToken(CpolParser.HAND, 0)

        def FAULT(self):
            return self.getToken(CpolParser.FAULT, 0)

        def PREFETCH(self):
            return self.getToken(CpolParser.PREFETCH, 0)

        def PIN(self):
            return self.getToken(CpolParser.PIN, 0)

        def POLICY(self):
            return self.getToken(CpolParser.POLICY, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_later




    def later(self):

        localctx = CpolParser.LaterContext(self, self._ctx, self.state)
        self.enterRule(localctx, 64, self.RULE_later)
        self._la = 0 # Token type
        try:
            self.state = 481
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [52]:
                self.enterOuterAlt(localctx, 1)
                self.state = 464
                self.match(CpolParser.LBRACE)
                self.state = 468
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -45035996273704962) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 4194303) != 0):
                    self.state = 465
                    self.inner()
                    self.state = 470
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 471
                self.match(CpolParser.RBRACE)
                pass
            elif token in [54]:
                self.enterOuterAlt(localctx, 2)
                self.state = 472
                self.match(CpolParser.LPAREN)
                self.state = 476
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -45035996273704962) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 4194303) != 0):
                    self.state = 473
                    self.inner()
                    self.state = 478
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 479
                self.match(CpolParser.RPAREN)
                pass
            elif token in [17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85]:
                self.enterOuterAlt(localctx, 3)
                self.state = 480
                _la = self._input.LA(1)
                if _la <= 0 or (((_la) & ~0x3f) == 0 and ((1 << _la) & 71776119061348350) != 0):
                    self._errHandler.recoverInline(self)
                else:
                    self._errHandler.reportMatch(self)
                    self.consume()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class InnerContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def inner(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.InnerContext)
            else:
                return self.getTypedRuleContext(CpolParser.InnerContext,i)


        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_inner




    def inner(self):

        localctx = CpolParser.InnerContext(self, self._ctx, self.state)
        self.enterRule(localctx, 66, self.RULE_inner)
        self._la = 0 # Token type
        try:
            self.state = 500
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [52]:
                self.enterOuterAlt(localctx, 1)
                self.state = 483
                self.match(CpolParser.LBRACE)
                self.state = 487
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -45035996273704962) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 4194303) != 0):
                    self.state = 484
                    self.inner()
                    self.state = 489
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 490
                self.match(CpolParser.RBRACE)
                pass
            elif token in [54]:
                self.enterOuterAlt(localctx, 2)
                self.state = 491
                self.match(CpolParser.LPAREN)
                self.state = 495
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -45035996273704962) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 4194303) != 0):
                    self.state = 492
                    self.inner()
                    self.state = 497
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 498
                self.match(CpolParser.RPAREN)
                pass
            elif token in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85]:
                self.enterOuterAlt(localctx, 3)
                self.state = 499
                _la = self._input.LA(1)
                if _la <= 0 or (((_la) & ~0x3f) == 0 and ((1 << _la) & 67553994410557440) != 0):
                    self._errHandler.recoverInline(self)
                else:
                    self._errHandler.reportMatch(self)
                    self.consume()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class BlockContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def statement(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.StatementContext)
            else:
                return self.getTypedRuleContext(CpolParser.StatementContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_block




    def block(self):

        localctx = CpolParser.BlockContext(self, self._ctx, self.state)
        self.enterRule(localctx, 68, self.RULE_block)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 502
            self.match(CpolParser.LBRACE)
            self.state = 506
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while ((((_la - 18)) & ~0x3f) == 0 and ((1 << (_la - 18)) & 576460767335817203) != 0):
                self.state = 503
                self.statement()
                self.state = 508
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 509
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class StatementContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def letStmt(self):
            return self.getTypedRuleContext(CpolParser.LetStmtContext,0)


        def ifStmt(self):
            return self.getTypedRuleContext(CpolParser.IfStmtContext,0)


        def forStmt(self):
            return self.getTypedRuleContext(CpolParser.ForStmtContext,0)


        def placeStmt(self):
            return self.getTypedRuleContext(CpolParser.PlaceStmtContext,0)


        def leaveStmt(self):
            return self.getTypedRuleContext(CpolParser.LeaveStmtContext,0)


        def refuseStmt(self):
            return self.getTypedRuleContext(CpolParser.RefuseStmtContext,0)


        def moveStmt(self):
            return self.getTypedRuleContext(CpolParser.MoveStmtContext,0)


        def scanStmt(self):
            return self.getTypedRuleContext(CpolParser.ScanStmtContext,0)


        def evictStmt(self):
            return self.getTypedRuleContext(CpolParser.EvictStmtContext,0)


        def stopStmt(self):
            return self.getTypedRuleContext(CpolParser.StopStmtContext,0)


        def keepStmt(self):
            return self.getTypedRuleContext(CpolParser.KeepStmtContext,0)


        def pathStmt(self):
            return self.getTypedRuleContext(CpolParser.PathStmtContext,0)


        def laterStmt(self):
            return self.getTypedRuleContext(CpolParser.LaterStmtContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_statement




    def statement(self):

        localctx = CpolParser.StatementContext(self, self._ctx, self.state)
        self.enterRule(localctx, 70, self.RULE_statement)
        try:
            self.state = 524
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [18]:
                self.enterOuterAlt(localctx, 1)
                self.state = 511
                self.letStmt()
                pass
            elif token in [19]:
                self.enterOuterAlt(localctx, 2)
                self.state = 512
                self.ifStmt()
                pass
            elif token in [22]:
                self.enterOuterAlt(localctx, 3)
                self.state = 513
                self.forStmt()
                pass
            elif token in [23]:
                self.enterOuterAlt(localctx, 4)
                self.state = 514
                self.placeStmt()
                pass
            elif token in [24]:
                self.enterOuterAlt(localctx, 5)
                self.state = 515
                self.leaveStmt()
                pass
            elif token in [25]:
                self.enterOuterAlt(localctx, 6)
                self.state = 516
                self.refuseStmt()
                pass
            elif token in [26]:
                self.enterOuterAlt(localctx, 7)
                self.state = 517
                self.moveStmt()
                pass
            elif token in [27]:
                self.enterOuterAlt(localctx, 8)
                self.state = 518
                self.scanStmt()
                pass
            elif token in [28]:
                self.enterOuterAlt(localctx, 9)
                self.state = 519
                self.evictStmt()
                pass
            elif token in [29]:
                self.enterOuterAlt(localctx, 10)
                self.state = 520
                self.stopStmt()
                pass
            elif token in [30]:
                self.enterOuterAlt(localctx, 11)
                self.state = 521
                self.keepStmt()
                pass
            elif token in [77]:
                self.enterOuterAlt(localctx, 12)
                self.state = 522
                self.pathStmt()
                pass
            elif token in [49, 50, 51]:
                self.enterOuterAlt(localctx, 13)
                self.state = 523
                self.laterStmt()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LetStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LET(self):
            return self.getToken(CpolParser.LET, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_letStmt




    def letStmt(self):

        localctx = CpolParser.LetStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 72, self.RULE_letStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 526
            self.match(CpolParser.LET)
            self.state = 527
            self.name()
            self.state = 528
            self.match(CpolParser.ASSIGN)
            self.state = 529
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class IfStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IF(self):
            return self.getToken(CpolParser.IF, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def elsePart(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ElsePartContext)
            else:
                return self.getTypedRuleContext(CpolParser.ElsePartContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_ifStmt




    def ifStmt(self):

        localctx = CpolParser.IfStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 74, self.RULE_ifStmt)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 531
            self.match(CpolParser.IF)
            self.state = 532
            self.expr()
            self.state = 533
            self.block()
            self.state = 537
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==21:
                self.state = 534
                self.elsePart()
                self.state = 539
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ElsePartContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def ELSE(self):
            return self.getToken(CpolParser.ELSE, 0)

        def IF(self):
            return self.getToken(CpolParser.IF, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_elsePart




    def elsePart(self):

        localctx = CpolParser.ElsePartContext(self, self._ctx, self.state)
        self.enterRule(localctx, 76, self.RULE_elsePart)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 540
            self.match(CpolParser.ELSE)
            self.state = 546
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [19]:
                self.state = 541
                self.match(CpolParser.IF)
                self.state = 542
                self.expr()
                self.state = 543
                self.block()
                pass
            elif token in [52]:
                self.state = 545
                self.block()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ForStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def FOR(self):
            return self.getToken(CpolParser.FOR, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def IN(self):
            return self.getToken(CpolParser.IN, 0)

        def expr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.ExprContext,i)


        def DOTDOT(self):
            return self.getToken(CpolParser.DOTDOT, 0)

        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_forStmt




    def forStmt(self):

        localctx = CpolParser.ForStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 78, self.RULE_forStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 548
            self.match(CpolParser.FOR)
            self.state = 549
            self.name()
            self.state = 550
            self.match(CpolParser.IN)
            self.state = 551
            self.expr()
            self.state = 552
            self.match(CpolParser.DOTDOT)
            self.state = 553
            self.expr()
            self.state = 554
            self.block()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PlaceStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def PLACE(self):
            return self.getToken(CpolParser.PLACE, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def AT(self):
            return self.getToken(CpolParser.AT, 0)

        def end(self):
            return self.getTypedRuleContext(CpolParser.EndContext,0)


        def OF(self):
            return self.getToken(CpolParser.OF, 0)

        def listRef(self):
            return self.getTypedRuleContext(CpolParser.ListRefContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_placeStmt




    def placeStmt(self):

        localctx = CpolParser.PlaceStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 80, self.RULE_placeStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 556
            self.match(CpolParser.PLACE)
            self.state = 557
            self.name()
            self.state = 558
            self.match(CpolParser.AT)
            self.state = 559
            self.end()
            self.state = 560
            self.match(CpolParser.OF)
            self.state = 561
            self.listRef()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LeaveStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LEAVE(self):
            return self.getToken(CpolParser.LEAVE, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_leaveStmt




    def leaveStmt(self):

        localctx = CpolParser.LeaveStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 82, self.RULE_leaveStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 563
            self.match(CpolParser.LEAVE)
            self.state = 564
            self.name()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class RefuseStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def REFUSE(self):
            return self.getToken(CpolParser.REFUSE, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_refuseStmt




    def refuseStmt(self):

        localctx = CpolParser.RefuseStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 84, self.RULE_refuseStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 566
            self.match(CpolParser.REFUSE)
            self.state = 567
            self.name()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class MoveStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def MOVE(self):
            return self.getToken(CpolParser.MOVE, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def TO(self):
            return self.getToken(CpolParser.TO, 0)

        def end(self):
            return self.getTypedRuleContext(CpolParser.EndContext,0)


        def OF(self):
            return self.getToken(CpolParser.OF, 0)

        def listRef(self):
            return self.getTypedRuleContext(CpolParser.ListRefContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_moveStmt




    def moveStmt(self):

        localctx = CpolParser.MoveStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 86, self.RULE_moveStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 569
            self.match(CpolParser.MOVE)
            self.state = 570
            self.name()
            self.state = 571
            self.match(CpolParser.TO)
            self.state = 572
            self.end()
            self.state = 573
            self.match(CpolParser.OF)
            self.state = 574
            self.listRef()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ScanStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def SCAN(self):
            return self.getToken(CpolParser.SCAN, 0)

        def listRef(self):
            return self.getTypedRuleContext(CpolParser.ListRefContext,0)


        def FROM(self):
            return self.getToken(CpolParser.FROM, 0)

        def end(self):
            return self.getTypedRuleContext(CpolParser.EndContext,0)


        def AS(self):
            return self.getToken(CpolParser.AS, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def bound(self):
            return self.getTypedRuleContext(CpolParser.BoundContext,0)


        def scanItem(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ScanItemContext)
            else:
                return self.getTypedRuleContext(CpolParser.ScanItemContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_scanStmt




    def scanStmt(self):

        localctx = CpolParser.ScanStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 88, self.RULE_scanStmt)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 576
            self.match(CpolParser.SCAN)
            self.state = 577
            self.listRef()
            self.state = 578
            self.match(CpolParser.FROM)
            self.state = 579
            self.end()
            self.state = 581
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==38:
                self.state = 580
                self.bound()


            self.state = 583
            self.match(CpolParser.AS)
            self.state = 584
            self.name()
            self.state = 585
            self.match(CpolParser.LBRACE)
            self.state = 589
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while ((((_la - 18)) & ~0x3f) == 0 and ((1 << (_la - 18)) & 576460767335841779) != 0):
                self.state = 586
                self.scanItem()
                self.state = 591
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 592
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class BoundContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def UP(self):
            return self.getToken(CpolParser.UP, 0)

        def TO(self):
            return self.getToken(CpolParser.TO, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_bound




    def bound(self):

        localctx = CpolParser.BoundContext(self, self._ctx, self.state)
        self.enterRule(localctx, 90, self.RULE_bound)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 594
            self.match(CpolParser.UP)
            self.state = 595
            self.match(CpolParser.TO)
            self.state = 596
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ScanItemContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def WHEN(self):
            return self.getToken(CpolParser.WHEN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def OTHERWISE(self):
            return self.getToken(CpolParser.OTHERWISE, 0)

        def statement(self):
            return self.getTypedRuleContext(CpolParser.StatementContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_scanItem




    def scanItem(self):

        localctx = CpolParser.ScanItemContext(self, self._ctx, self.state)
        self.enterRule(localctx, 92, self.RULE_scanItem)
        try:
            self.state = 605
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [31]:
                self.enterOuterAlt(localctx, 1)
                self.state = 598
                self.match(CpolParser.WHEN)
                self.state = 599
                self.expr()
                self.state = 600
                self.block()
                pass
            elif token in [32]:
                self.enterOuterAlt(localctx, 2)
                self.state = 602
                self.match(CpolParser.OTHERWISE)
                self.state = 603
                self.block()
                pass
            elif token in [18, 19, 22, 23, 24, 25, 26, 27, 28, 29, 30, 49, 50, 51, 77]:
                self.enterOuterAlt(localctx, 3)
                self.state = 604
                self.statement()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EvictStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EVICT(self):
            return self.getToken(CpolParser.EVICT, 0)

        def LOWEST(self):
            return self.getToken(CpolParser.LOWEST, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def OF(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.OF)
            else:
                return self.getToken(CpolParser.OF, i)

        def bound(self):
            return self.getTypedRuleContext(CpolParser.BoundContext,0)


        def FROM(self):
            return self.getToken(CpolParser.FROM, 0)

        def end(self):
            return self.getTypedRuleContext(CpolParser.EndContext,0)


        def listRef(self):
            return self.getTypedRuleContext(CpolParser.ListRefContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_evictStmt




    def evictStmt(self):

        localctx = CpolParser.EvictStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 94, self.RULE_evictStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 607
            self.match(CpolParser.EVICT)
            self.state = 618
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [33]:
                self.state = 608
                self.match(CpolParser.LOWEST)
                self.state = 609
                self.name()
                self.state = 610
                self.match(CpolParser.OF)
                self.state = 611
                self.bound()
                self.state = 612
                self.match(CpolParser.FROM)
                self.state = 613
                self.end()
                self.state = 614
                self.match(CpolParser.OF)
                self.state = 615
                self.listRef()
                pass
            elif token in [77]:
                self.state = 617
                self.name()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ListRefContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LBRACK(self):
            return self.getToken(CpolParser.LBRACK, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def RBRACK(self):
            return self.getToken(CpolParser.RBRACK, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_listRef




    def listRef(self):

        localctx = CpolParser.ListRefContext(self, self._ctx, self.state)
        self.enterRule(localctx, 96, self.RULE_listRef)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 620
            self.name()
            self.state = 625
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==56:
                self.state = 621
                self.match(CpolParser.LBRACK)
                self.state = 622
                self.expr()
                self.state = 623
                self.match(CpolParser.RBRACK)


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class StopStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def STOP(self):
            return self.getToken(CpolParser.STOP, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_stopStmt




    def stopStmt(self):

        localctx = CpolParser.StopStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 98, self.RULE_stopStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 627
            self.match(CpolParser.STOP)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class KeepStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def KEEP(self):
            return self.getToken(CpolParser.KEEP, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_keepStmt




    def keepStmt(self):

        localctx = CpolParser.KeepStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 100, self.RULE_keepStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 629
            self.match(CpolParser.KEEP)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PathStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def path(self):
            return self.getTypedRuleContext(CpolParser.PathContext,0)


        def assignOp(self):
            return self.getTypedRuleContext(CpolParser.AssignOpContext,0)


        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def arguments(self):
            return self.getTypedRuleContext(CpolParser.ArgumentsContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_pathStmt




    def pathStmt(self):

        localctx = CpolParser.PathStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 102, self.RULE_pathStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 631
            self.path()
            self.state = 636
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [62, 63, 64, 65]:
                self.state = 632
                self.assignOp()
                self.state = 633
                self.expr()
                pass
            elif token in [54]:
                self.state = 635
                self.arguments()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class AssignOpContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def ADD_ASSIGN(self):
            return self.getToken(CpolParser.ADD_ASSIGN, 0)

        def SUB_ASSIGN(self):
            return self.getToken(CpolParser.SUB_ASSIGN, 0)

        def MUL_ASSIGN(self):
            return self.getToken(CpolParser.MUL_ASSIGN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_assignOp




    def assignOp(self):

        localctx = CpolParser.AssignOpContext(self, self._ctx, self.state)
        self.enterRule(localctx, 104, self.RULE_assignOp)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 638
            _la = self._input.LA(1)
            if not(((((_la - 62)) & ~0x3f) == 0 and ((1 << (_la - 62)) & 15) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EndContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def HEAD(self):
            return self.getToken(CpolParser.HEAD, 0)

        def TAIL(self):
            return self.getToken(CpolParser.TAIL, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_end




    def end(self):

        localctx = CpolParser.EndContext(self, self._ctx, self.state)
        self.enterRule(localctx, 106, self.RULE_end)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 640
            _la = self._input.LA(1)
            if not(_la==41 or _la==42):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ExprContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IF(self):
            return self.getToken(CpolParser.IF, 0)

        def expr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.ExprContext,i)


        def THEN(self):
            return self.getToken(CpolParser.THEN, 0)

        def ELSE(self):
            return self.getToken(CpolParser.ELSE, 0)

        def orExpr(self):
            return self.getTypedRuleContext(CpolParser.OrExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_expr




    def expr(self):

        localctx = CpolParser.ExprContext(self, self._ctx, self.state)
        self.enterRule(localctx, 108, self.RULE_expr)
        try:
            self.state = 650
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [19]:
                self.enterOuterAlt(localctx, 1)
                self.state = 642
                self.match(CpolParser.IF)
                self.state = 643
                self.expr()
                self.state = 644
                self.match(CpolParser.THEN)
                self.state = 645
                self.expr()
                self.state = 646
                self.match(CpolParser.ELSE)
                self.state = 647
                self.expr()
                pass
            elif token in [28, 43, 44, 47, 54, 73, 77, 78, 79]:
                self.enterOuterAlt(localctx, 2)
                self.state = 649
                self.orExpr()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class OrExprContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def andExpr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.AndExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.AndExprContext,i)


        def OR(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.OR)
            else:
                return self.getToken(CpolParser.OR, i)

        def getRuleIndex(self):
            return CpolParser.RULE_orExpr




    def orExpr(self):

        localctx = CpolParser.OrExprContext(self, self._ctx, self.state)
        self.enterRule(localctx, 110, self.RULE_orExpr)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 652
            self.andExpr()
            self.state = 657
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==46:
                self.state = 653
                self.match(CpolParser.OR)
                self.state = 654
                self.andExpr()
                self.state = 659
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class AndExprContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def notExpr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NotExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.NotExprContext,i)


        def AND(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.AND)
            else:
                return self.getToken(CpolParser.AND, i)

        def getRuleIndex(self):
            return CpolParser.RULE_andExpr




    def andExpr(self):

        localctx = CpolParser.AndExprContext(self, self._ctx, self.state)
        self.enterRule(localctx, 112, self.RULE_andExpr)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 660
            self.notExpr()
            self.state = 665
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==45:
                self.state = 661
                self.match(CpolParser.AND)
                self.state = 662
                self.notExpr()
                self.state = 667
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class NotExprContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def comparison(self):
            return self.getTypedRuleContext(CpolParser.ComparisonContext,0)


        def NOT(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.NOT)
            else:
                return self.getToken(CpolParser.NOT, i)

        def getRuleIndex(self):
            return CpolParser.RULE_notExpr




    def notExpr(self):

        localctx = CpolParser.NotExprContext(self, self._ctx, self.state)
        self.enterRule(localctx, 114, self.RULE_notExpr)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 671
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==47:
                self.state = 668
                self.match(CpolParser.NOT)
                self.state = 673
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 674
            self.comparison()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ComparisonContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def sum_(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.SumContext)
            else:
                return self.getTypedRuleContext(CpolParser.SumContext,i)


        def compareOp(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.CompareOpContext)
            else:
                return self.getTypedRuleContext(CpolParser.CompareOpContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_comparison




    def comparison(self):

        localctx = CpolParser.ComparisonContext(self, self._ctx, self.state)
        self.enterRule(localctx, 116, self.RULE_comparison)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 676
            self.sum_()
            self.state = 682
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while ((((_la - 62)) & ~0x3f) == 0 and ((1 << (_la - 62)) & 1009) != 0):
                self.state = 677
                self.compareOp()
                self.state = 678
                self.sum_()
                self.state = 684
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class CompareOpContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EQ(self):
            return self.getToken(CpolParser.EQ, 0)

        def NE(self):
            return self.getToken(CpolParser.NE, 0)

        def LT(self):
            return self.getToken(CpolParser.LT, 0)

        def LE(self):
            return self.getToken(CpolParser.LE, 0)

        def GT(self):
            return self.getToken(CpolParser.GT, 0)

        def GE(self):
            return self.getToken(CpolParser.GE, 0)

        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_compareOp




    def compareOp(self):

        localctx = CpolParser.CompareOpContext(self, self._ctx, self.state)
        self.enterRule(localctx, 118, self.RULE_compareOp)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 685
            _la = self._input.LA(1)
            if not(((((_la - 62)) & ~0x3f) == 0 and ((1 << (_la - 62)) & 1009) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class SumContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def term(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.TermContext)
            else:
                return self.getTypedRuleContext(CpolParser.TermContext,i)


        def PLUS(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.PLUS)
            else:
                return self.getToken(CpolParser.PLUS, i)

        def MINUS(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.MINUS)
            else:
                return self.getToken(CpolParser.MINUS, i)

        def getRuleIndex(self):
            return CpolParser.RULE_sum




    def sum_(self):

        localctx = CpolParser.SumContext(self, self._ctx, self.state)
        self.enterRule(localctx, 120, self.RULE_sum)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 687
            self.term()
            self.state = 692
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==72 or _la==73:
                self.state = 688
                _la = self._input.LA(1)
                if not(_la==72 or _la==73):
                    self._errHandler.recoverInline(self)
                else:
                    self._errHandler.reportMatch(self)
                    self.consume()
                self.state = 689
                self.term()
                self.state = 694
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class TermContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def unary(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.UnaryContext)
            else:
                return self.getTypedRuleContext(CpolParser.UnaryContext,i)


        def STAR(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.STAR)
            else:
                return self.getToken(CpolParser.STAR, i)

        def SLASH(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.SLASH)
            else:
                return self.getToken(CpolParser.SLASH, i)

        def PERCENT(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.PERCENT)
            else:
                return self.getToken(CpolParser.PERCENT, i)

        def getRuleIndex(self):
            return CpolParser.RULE_term




    def term(self):

        localctx = CpolParser.TermContext(self, self._ctx, self.state)
        self.enterRule(localctx, 122, self.RULE_term)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 695
            self.unary()
            self.state = 700
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while ((((_la - 74)) & ~0x3f) == 0 and ((1 << (_la - 74)) & 7) != 0):
                self.state = 696
                _la = self._input.LA(1)
                if not(((((_la - 74)) & ~0x3f) == 0 and ((1 << (_la - 74)) & 7) != 0)):
                    self._errHandler.recoverInline(self)
                else:
                    self._errHandler.reportMatch(self)
                    self.consume()
                self.state = 697
                self.unary()
                self.state = 702
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class UnaryContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def primary(self):
            return self.getTypedRuleContext(CpolParser.PrimaryContext,0)


        def MINUS(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.MINUS)
            else:
                return self.getToken(CpolParser.MINUS, i)

        def getRuleIndex(self):
            return CpolParser.RULE_unary




    def unary(self):

        localctx = CpolParser.UnaryContext(self, self._ctx, self.state)
        self.enterRule(localctx, 124, self.RULE_unary)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 706
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==73:
                self.state = 703
                self.match(CpolParser.MINUS)
                self.state = 708
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 709
            self.primary()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PrimaryContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def INT(self):
            return self.getToken(CpolParser.INT, 0)

        def FIXED(self):
            return self.getToken(CpolParser.FIXED, 0)

        def TRUE(self):
            return self.getToken(CpolParser.TRUE, 0)

        def FALSE(self):
            return self.getToken(CpolParser.FALSE, 0)

        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def path(self):
            return self.getTypedRuleContext(CpolParser.PathContext,0)


        def arguments(self):
            return self.getTypedRuleContext(CpolParser.ArgumentsContext,0)


        def evictAttr(self):
            return self.getTypedRuleContext(CpolParser.EvictAttrContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_primary




    def primary(self):

        localctx = CpolParser.PrimaryContext(self, self._ctx, self.state)
        self.enterRule(localctx, 126, self.RULE_primary)
        self._la = 0 # Token type
        try:
            self.state = 724
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [79]:
                self.enterOuterAlt(localctx, 1)
                self.state = 711
                self.match(CpolParser.INT)
                pass
            elif token in [78]:
                self.enterOuterAlt(localctx, 2)
                self.state = 712
                self.match(CpolParser.FIXED)
                pass
            elif token in [43]:
                self.enterOuterAlt(localctx, 3)
                self.state = 713
                self.match(CpolParser.TRUE)
                pass
            elif token in [44]:
                self.enterOuterAlt(localctx, 4)
                self.state = 714
                self.match(CpolParser.FALSE)
                pass
            elif token in [54]:
                self.enterOuterAlt(localctx, 5)
                self.state = 715
                self.match(CpolParser.LPAREN)
                self.state = 716
                self.expr()
                self.state = 717
                self.match(CpolParser.RPAREN)
                pass
            elif token in [77]:
                self.enterOuterAlt(localctx, 6)
                self.state = 719
                self.path()
                self.state = 721
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                if _la==54:
                    self.state = 720
                    self.arguments()


                pass
            elif token in [28]:
                self.enterOuterAlt(localctx, 7)
                self.state = 723
                self.evictAttr()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EvictAttrContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EVICT(self):
            return self.getToken(CpolParser.EVICT, 0)

        def DOT(self):
            return self.getToken(CpolParser.DOT, 0)

        def member(self):
            return self.getTypedRuleContext(CpolParser.MemberContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_evictAttr




    def evictAttr(self):

        localctx = CpolParser.EvictAttrContext(self, self._ctx, self.state)
        self.enterRule(localctx, 128, self.RULE_evictAttr)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 726
            self.match(CpolParser.EVICT)
            self.state = 727
            self.match(CpolParser.DOT)
            self.state = 728
            self.member()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PathContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def index(self):
            return self.getTypedRuleContext(CpolParser.IndexContext,0)


        def DOT(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.DOT)
            else:
                return self.getToken(CpolParser.DOT, i)

        def member(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.MemberContext)
            else:
                return self.getTypedRuleContext(CpolParser.MemberContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_path




    def path(self):

        localctx = CpolParser.PathContext(self, self._ctx, self.state)
        self.enterRule(localctx, 130, self.RULE_path)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 730
            self.name()
            self.state = 732
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==56:
                self.state = 731
                self.index()


            self.state = 738
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==61:
                self.state = 734
                self.match(CpolParser.DOT)
                self.state = 735
                self.member()
                self.state = 740
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class IndexContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LBRACK(self):
            return self.getToken(CpolParser.LBRACK, 0)

        def expr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.ExprContext,i)


        def RBRACK(self):
            return self.getToken(CpolParser.RBRACK, 0)

        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_index




    def index(self):

        localctx = CpolParser.IndexContext(self, self._ctx, self.state)
        self.enterRule(localctx, 132, self.RULE_index)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 741
            self.match(CpolParser.LBRACK)
            self.state = 742
            self.expr()
            self.state = 747
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==59:
                self.state = 743
                self.match(CpolParser.COMMA)
                self.state = 744
                self.expr()
                self.state = 749
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 750
            self.match(CpolParser.RBRACK)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ArgumentsContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def argument(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ArgumentContext)
            else:
                return self.getTypedRuleContext(CpolParser.ArgumentContext,i)


        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_arguments




    def arguments(self):

        localctx = CpolParser.ArgumentsContext(self, self._ctx, self.state)
        self.enterRule(localctx, 134, self.RULE_arguments)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 752
            self.match(CpolParser.LPAREN)
            self.state = 761
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if ((((_la - 19)) & ~0x3f) == 0 and ((1 << (_la - 19)) & 2035627066266731009) != 0):
                self.state = 753
                self.argument()
                self.state = 758
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while _la==59:
                    self.state = 754
                    self.match(CpolParser.COMMA)
                    self.state = 755
                    self.argument()
                    self.state = 760
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)



            self.state = 763
            self.match(CpolParser.RPAREN)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ArgumentContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def expr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.ExprContext,i)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def DOTDOT(self):
            return self.getToken(CpolParser.DOTDOT, 0)

        def smallWord(self):
            return self.getTypedRuleContext(CpolParser.SmallWordContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_argument




    def argument(self):

        localctx = CpolParser.ArgumentContext(self, self._ctx, self.state)
        self.enterRule(localctx, 136, self.RULE_argument)
        self._la = 0 # Token type
        try:
            self.state = 778
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [19, 28, 43, 44, 47, 54, 73, 77, 78, 79]:
                self.enterOuterAlt(localctx, 1)
                self.state = 765
                self.expr()
                self.state = 768
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                if _la==58:
                    self.state = 766
                    self.match(CpolParser.COLON)
                    self.state = 767
                    self.expr()


                self.state = 772
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                if _la==60:
                    self.state = 770
                    self.match(CpolParser.DOTDOT)
                    self.state = 771
                    self.expr()


                pass
            elif token in [33, 34, 35, 36, 37, 38, 39, 40, 41, 42]:
                self.enterOuterAlt(localctx, 2)
                self.state = 774
                self.smallWord()
                self.state = 775
                self.match(CpolParser.COLON)
                self.state = 776
                self.expr()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class MemberContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def word(self):
            return self.getTypedRuleContext(CpolParser.WordContext,0)


        def LIST(self):
            return self.getToken(CpolParser.LIST, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_member




    def member(self):

        localctx = CpolParser.MemberContext(self, self._ctx, self.state)
        self.enterRule(localctx, 138, self.RULE_member)
        try:
            self.state = 782
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 77]:
                self.enterOuterAlt(localctx, 1)
                self.state = 780
                self.word()
                pass
            elif token in [5]:
                self.enterOuterAlt(localctx, 2)
                self.state = 781
                self.match(CpolParser.LIST)
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class WordContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IDENT(self):
            return self.getToken(CpolParser.IDENT, 0)

        def smallWord(self):
            return self.getTypedRuleContext(CpolParser.SmallWordContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_word




    def word(self):

        localctx = CpolParser.WordContext(self, self._ctx, self.state)
        self.enterRule(localctx, 140, self.RULE_word)
        try:
            self.state = 786
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [77]:
                self.enterOuterAlt(localctx, 1)
                self.state = 784
                self.match(CpolParser.IDENT)
                pass
            elif token in [33, 34, 35, 36, 37, 38, 39, 40, 41, 42]:
                self.enterOuterAlt(localctx, 2)
                self.state = 785
                self.smallWord()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class SmallWordContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def AT(self):
            return self.getToken(CpolParser.AT, 0)

        def TO(self):
            return self.getToken(CpolParser.TO, 0)

        def OF(self):
            return self.getToken(CpolParser.OF, 0)

        def FROM(self):
            return self.getToken(CpolParser.FROM, 0)

        def UP(self):
            return self.getToken(CpolParser.UP, 0)

        def AS(self):
            return self.getToken(CpolParser.AS, 0)

        def IN(self):
            return self.getToken(CpolParser.IN, 0)

        def HEAD(self):
            return self.getToken(CpolParser.HEAD, 0)

        def TAIL(self):
            return self.getToken(CpolParser.TAIL, 0)

        def LOWEST(self):
            return self.getToken(CpolParser.LOWEST, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_smallWord




    def smallWord(self):

        localctx = CpolParser.SmallWordContext(self, self._ctx, self.state)
        self.enterRule(localctx, 142, self.RULE_smallWord)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 788
            _la = self._input.LA(1)
            if not((((_la) & ~0x3f) == 0 and ((1 << _la) & 8787503087616) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class NameContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IDENT(self):
            return self.getToken(CpolParser.IDENT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_name




    def name(self):

        localctx = CpolParser.NameContext(self, self._ctx, self.state)
        self.enterRule(localctx, 144, self.RULE_name)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 790
            self.match(CpolParser.IDENT)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class TypeNameContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IDENT(self):
            return self.getToken(CpolParser.IDENT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_typeName




    def typeName(self):

        localctx = CpolParser.TypeNameContext(self, self._ctx, self.state)
        self.enterRule(localctx, 146, self.RULE_typeName)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 792
            self.match(CpolParser.IDENT)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx





